import { devNull } from "node:os";
import { InferenceSession } from "onnxruntime-node";
import { SluiceError } from "../../base/error.js";
import { requireOwnWeights } from "../external-weights.js";
import type { GraphFiles } from "../protocol.js";
import { ownBytes } from "../shared-bytes.js";
import { createRequire } from "node:module";

/**
 * One thread per session, because several inference threads run in parallel. The log prints only fatal errors; other
 * errors are thrown.
 */
const sessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  logSeverityLevel: 4,
  // Folder from which ONNX Runtime would read weights missing from the given files; the default is the working
  // directory.
  extra: { session: { model_external_initializers_file_folder_path: devNull } },
} as const;

/**
 * Opens a session from exactly the given bytes; refuses a graph that stores weights elsewhere.
 * @param keepsMemory  whether to reuse memory across runs, which saves time in graphs with many steps
 * @throws {SluiceError} MODEL_INVALID
 */
export async function openSession(graph: GraphFiles, keepsMemory = true): Promise<InferenceSession> {
  requireOwnWeights(graph.bytes, graph.externalData);
  const externalData = graph.externalData.map(({ path, bytes }) => ({ path, data: ownBytes(bytes) }));
  const own = { ...sessionOptions, enableCpuMemArena: keepsMemory };
  const options = externalData.length === 0 ? own : { ...own, externalData };
  try {
    return await InferenceSession.create(ownBytes(graph.bytes), options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SluiceError("MODEL_INVALID", `ONNX Runtime refused the graph: ${reason}`, { cause, details: { reason } });
  }
}

/** Converts a failed model run into a SluiceError. */
export function toRunError(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const message = `ONNX Runtime failed to run the graph: ${reason}`;
  return new SluiceError("MODEL_RUN_FAILED", message, { cause: thrown, details: { reason } });
}

/**
 * Version of the installed ONNX Runtime. Manifests record it, because scores of quantised models may change between
 * versions.
 */
export function onnxRuntimeVersion(): string {
  const require = createRequire(import.meta.url);
  const { version } = require("onnxruntime-node/package.json") as { readonly version: string };
  return version;
}
