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

/** A session from the very bytes given. @throws {SluiceError} MODEL_INVALID */
export async function openSession(graph: GraphFiles): Promise<InferenceSession> {
  const externalData = graph.externalData.map(({ path, bytes }) => ({ path, data: bytes }));
  const options = externalData.length === 0 ? sessionOptions : { ...sessionOptions, externalData };
  try {
    return await InferenceSession.create(graph.bytes, options);
  } catch (cause) {
    throw new SluiceError("MODEL_INVALID", "ONNX Runtime refused the graph", { cause });
  }
}
