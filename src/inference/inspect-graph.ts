import { Worker } from "node:worker_threads";
import { SluiceError } from "../base/error.js";
import { fromPlainError, type PlainError } from "../base/transport.js";
import { leaveThread } from "./left-threads.js";
import { switchOffUsageReports } from "./no-usage-reports.js";
import type { GraphFiles } from "./protocol.js";

/** An input or output of a graph, as reported by ONNX Runtime. */
export interface GraphPortFacts {
  readonly name: string;
  /** For example `int64` or `float32`; null if it is not a tensor. */
  readonly element_type: string | null;
  /** Numbers are fixed sizes and names variable ones; empty if the graph declares no shape. */
  readonly shape: readonly (number | string)[];
}

export interface GraphFacts {
  readonly inputs: readonly GraphPortFacts[];
  readonly outputs: readonly GraphPortFacts[];
}

export type InspectReply =
  | { readonly kind: "facts"; readonly facts: GraphFacts }
  | { readonly kind: "refused"; readonly error: PlainError };

/** Time limit for loading a graph in milliseconds; graphs of gigabytes take seconds. */
const loadLimitMs = 120_000;

/**
 * Reads the inputs and outputs of a graph. Loads it in a separate thread, which releases the session and exits.
 * @throws {SluiceError} MODEL_INVALID if ONNX Runtime refuses the graph, MODEL_RUN_FAILED if the thread fails or does
 *   not answer in time
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
      // The thread cannot be ended inside ONNX Runtime, and must not keep the process alive.
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
