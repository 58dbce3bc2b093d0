import { devNull } from "node:os";
import { InferenceSession } from "onnxruntime-node";
import { SluiceError } from "../../base/error.js";
import { requireOwnWeights } from "../external-weights.js";
import type { GraphFiles } from "../protocol.js";
import { ownBytes } from "../shared-bytes.js";

/**
 * One thread per session: parallelism comes from several inference threads. Of its log only fatal faults are printed:
 * errors come back as exceptions.
 */
const sessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  logSeverityLevel: 4,
  // Where weights are read that no given file contains; by default the working directory of the process.
  extra: { session: { model_external_initializers_file_folder_path: devNull } },
} as const;

/**
 * A session from the very bytes given: a graph that stores weights anywhere else is refused.
 * @param keepsMemory  keep the memory of a run for the next one: saves time in graphs of many steps
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
