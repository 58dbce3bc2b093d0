import { Worker } from "node:worker_threads";
import { SluiceError } from "../base/error.js";
import { fromPlainError, type PlainError } from "../base/transport.js";
import { leaveThread } from "./left-threads.js";
import { switchOffUsageReports } from "./no-usage-reports.js";
import type { GraphFiles } from "./protocol.js";

/** An input or output of a graph, as ONNX Runtime reads it. */
export interface GraphPortFacts {
  readonly name: string;
  /** Such as `int64` or `float32`; null for what is not a tensor. */
  readonly elementType: string | null;
  /** Numbers are fixed sizes, words are sizes that may vary; empty when the graph declares no shape. */
  readonly shape: readonly (number | string)[];
}

export interface GraphFacts {
  readonly inputs: readonly GraphPortFacts[];
  readonly outputs: readonly GraphPortFacts[];
}

/** Answer of the inspecting thread. */
export type InspectReply =
  | { readonly kind: "facts"; readonly facts: GraphFacts }
  | { readonly kind: "refused"; readonly error: PlainError };

/** Milliseconds for loading a graph; graphs of gigabytes take seconds. */
const loadLimitMs = 120_000;

/**
 * Inputs and outputs of a graph. Loads it in a separate thread, which releases the session and exits.
 * @throws {SluiceError} MODEL_INVALID when ONNX Runtime refuses the graph, MODEL_RUN_FAILED when the thread fails or
 *   gives no answer in time
 */
export function inspectGraph(graph: GraphFiles, limitMs = loadLimitMs): Promise<GraphFacts> {
  switchOffUsageReports();
  const worker = new Worker(new URL("./inspect.worker.js", import.meta.url), { workerData: graph });
  let reply: InspectReply | null = null;
  let failure: unknown = null;
  worker.once("message", (message: InspectReply) => {
    reply = message;
  });
  worker.once("error", (cause) => {
    failure = cause;
  });
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      // Inside ONNX Runtime it cannot be ended, and must not keep the process alive.
      leaveThread(worker);
      reject(new SluiceError("MODEL_RUN_FAILED", `ONNX Runtime did not load the graph within ${limitMs} ms`));
    }, limitMs);
    worker.once("exit", () => {
      clearTimeout(limit);
      settle(reply, failure, resolve, reject);
    });
  });
}

function settle(
  reply: InspectReply | null,
  cause: unknown,
  resolve: (facts: GraphFacts) => void,
  reject: (error: SluiceError) => void,
): void {
  if (reply === null) {
    return reject(new SluiceError("MODEL_RUN_FAILED", "the thread that inspects a graph has failed", { cause }));
  }
  if (reply.kind === "refused") return reject(fromPlainError(reply.error));
  return resolve(reply.facts);
}
