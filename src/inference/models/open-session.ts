import { InferenceSession } from "onnxruntime-node";
import { SluiceError } from "../../errors/error.js";
import type { GraphFiles } from "../protocol.js";

/**
 * One thread per session: parallelism comes from several inference threads. Of its log only fatal faults are printed:
 * errors come back as exceptions.
 */
const sessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  logSeverityLevel: 4,
} as const;

/**
 * A session from the very bytes given.
 * @param keepsMemory  keep the memory of a run for the next one: saves time in graphs of many steps
 * @throws {SluiceError} MODEL_INVALID
 */
export async function openSession(graph: GraphFiles, keepsMemory = true): Promise<InferenceSession> {
  const externalData = graph.externalData.map(({ path, bytes }) => ({ path, data: bytes }));
  const own = { ...sessionOptions, enableCpuMemArena: keepsMemory };
  const options = externalData.length === 0 ? own : { ...own, externalData };
  try {
    return await InferenceSession.create(graph.bytes, options);
  } catch (cause) {
    throw new SluiceError("MODEL_INVALID", "ONNX Runtime refused the graph", { cause });
  }
}
