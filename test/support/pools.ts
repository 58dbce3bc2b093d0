/** Inference pools for tests: their threads can be watched and ended, and a run can be as long as a test needs. */
import type { Worker } from "node:worker_threads";
import { type RunScope, unbounded } from "../../src/documents/run-scope.js";
import type { LoadedModel } from "../../src/inference/models/local-models.js";
import { InferencePool, type InferencePoolOptions } from "../../src/inference/pool.js";
import type { Matrix, ToWorker } from "../../src/inference/protocol.js";
import { linearModel, slowModel } from "./graphs.js";
import { loadGraph, runMatrix } from "./inference.js";

/** y = 2 x for one column. */
export const doubling = linearModel({ columns: 1, weights: [2], bias: [0] });

export const column = (...values: readonly number[]): Matrix => {
  return { rows: values.length, columns: 1, values: Float32Array.from(values) };
};

/** The next turn of the event loop: what was called before has been sent. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A pool of one thread and 64 jobs unless told otherwise, closed afterwards. */
export async function withPool<T>(
  options: Partial<InferencePoolOptions>,
  body: (pool: InferencePool) => Promise<T>,
): Promise<T> {
  const pool = new InferencePool({ workers: 1, queueLimit: 64, ...options });
  try {
    return await body(pool);
  } finally {
    await pool.close();
  }
}

/** A call, repeatable, that keeps one thread inside ONNX Runtime for at least about `milliseconds`. */
export async function loadStall(pool: InferencePool, milliseconds: number) {
  const size = 512;
  const model = await loadGraph(pool, slowModel(size, 200));
  const rowsOf = (rows: number): Matrix => ({ rows, columns: size, values: new Float32Array(rows * size) });
  const sample = rowsOf(128);
  const timed = async (): Promise<number> => {
    const started = performance.now();
    await runMatrix(model, sample);
    return performance.now() - started;
  };
  // The faster of two: other load on the machine makes the stall longer, never shorter.
  const scale = milliseconds / Math.min(await timed(), await timed());
  const input = rowsOf(Math.ceil(sample.rows * scale));
  return (scope: RunScope = unbounded): Promise<Matrix> => runMatrix(model, input, scope);
}

/** Doubles single numbers with a model that `doubling` was loaded into. */
export async function double(model: LoadedModel, value: number, scope: RunScope = unbounded): Promise<number> {
  return (await runMatrix(model, column(value), scope)).values[0] ?? Number.NaN;
}

export interface WatchedThreads {
  /** Every thread created so far, ended ones too. */
  readonly created: readonly Worker[];
  /** Jobs in each message that was sent to a thread, in the order of sending. */
  readonly messages: readonly { readonly thread: Worker; readonly jobs: number }[];
}

/**
 * Shows the threads that a pool creates and what it sends to them.
 * @param isFatal  messages of jobs that end their thread before it has run one of them
 */
export async function watchingThreads<T>(
  body: (threads: WatchedThreads) => Promise<T>,
  isFatal: (message: ToWorker) => boolean = () => false,
): Promise<T> {
  const created: Worker[] = [];
  const messages: { thread: Worker; jobs: number }[] = [];
  const watch = (thread: Worker): void => {
    created.push(thread);
    const send = thread.postMessage.bind(thread) as (message: ToWorker) => void;
    thread.postMessage = (message: ToWorker): void => {
      if (message.kind === "run") messages.push({ thread, jobs: message.jobs.length });
      if (message.kind === "run" && isFatal(message)) breakThread({ postMessage: send });
      send(message);
    };
  };
  process.on("worker", watch);
  try {
    return await body({ created, messages });
  } finally {
    process.off("worker", watch);
  }
}

/** Makes a thread fail between two runs: it throws at a message that it does not know. */
export function breakThread(thread: { postMessage(message: unknown): void } | undefined): void {
  thread?.postMessage({ kind: "not a kind" });
}
