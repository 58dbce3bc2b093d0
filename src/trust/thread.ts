import { parentPort, type TransferListItem, Worker, workerData } from "node:worker_threads";
import { SluiceError } from "../base/error.js";
import { fromPlainError, type PlainError, toPlainError } from "../base/transport.js";

type Reply =
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "failed"; readonly error: PlainError };

/** Result of a thread; buffers in `moved` are transferred without copying. */
export interface ThreadResult {
  readonly value: unknown;
  readonly moved?: readonly ArrayBuffer[];
}

/**
 * Runs one task in a separate thread, so that the caller's thread stays responsive, and returns its result.
 * @param entry  module that calls `answerTask`
 * @throws {SluiceError} the error that the task threw, with code, message, hint and details; INTERNAL if the thread
 *   failed
 */
export function runInThread<T>(entry: URL, task: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData: task });
    let reply: Reply | null = null;
    let failure: unknown = null;
    worker.once("message", (message: Reply) => {
      reply = message;
    });
    worker.once("error", (cause) => {
      failure = cause;
    });
    worker.once("exit", () => {
      const result = valueOf(reply, failure);
      if (result instanceof SluiceError) reject(result);
      else resolve(result.value as T);
    });
  });
}

function valueOf(reply: Reply | null, cause: unknown): { readonly value: unknown } | SluiceError {
  if (reply === null) return new SluiceError("INTERNAL", "the verification thread failed", { cause });
  if (reply.kind === "done") return reply;
  return fromPlainError(reply.error);
}

/** Called inside a thread: runs the task that the thread was started for, and lets the thread end. */
export async function answerTask<T>(run: (task: T) => Promise<ThreadResult>): Promise<void> {
  const port = parentPort;
  if (port === null) throw new SluiceError("INTERNAL", "a task runs in a thread of its own only");
  try {
    const { value, moved = [] } = await run(workerData as T);
    port.postMessage({ kind: "done", value } satisfies Reply, moved as readonly TransferListItem[]);
  } catch (thrown) {
    port.postMessage({ kind: "failed", error: toPlainError(thrown) } satisfies Reply);
  }
}
