import { type InferenceSession, Tensor } from "onnxruntime-node";
import { SluiceError } from "../../base/error.js";
import type { GraphFiles, Job, Matrix } from "../protocol.js";
import { readFloats, requireFinite, toMatrix } from "./float-output.js";
import { openSession, toRunError } from "./open-session.js";
import type { JobOutcome, WorkerModel } from "./worker-model.js";

/** A graph that maps a float matrix to a float matrix with as many rows. */
export class GraphModel implements WorkerModel {
  private readonly session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.session = session;
  }

  /** @throws {SluiceError} MODEL_INVALID */
  static async create(graph: GraphFiles): Promise<GraphModel> {
    return new GraphModel(await openSession(graph, false));
  }

  /** Runs every job separately. */
  async *run(jobs: readonly Job[]): AsyncIterable<JobOutcome> {
    for (const job of jobs) yield await this.runOne(job);
  }

  release(): Promise<void> {
    return this.session.release();
  }

  private async runOne({ id, input }: Job): Promise<JobOutcome> {
    try {
      if (input.kind !== "matrix") throw new SluiceError("MODEL_RUN_FAILED", `a graph cannot run ${input.kind}`);
      const matrix = requireFinite(await apply(this.session, input.matrix));
      return { id, output: { kind: "rows", matrix, truncatedRows: 0 } };
    } catch (thrown) {
      return { id, error: toRunError(thrown) };
    }
  }
}

/** @throws {SluiceError} MODEL_RUN_FAILED, or what ONNX Runtime throws */
async function apply(session: InferenceSession, input: Matrix): Promise<Matrix> {
  const [inputName] = session.inputNames;
  const [outputName] = session.outputNames;
  if (inputName === undefined || outputName === undefined) {
    throw new SluiceError("MODEL_RUN_FAILED", "the graph has no input or no output");
  }
  const tensor = new Tensor("float32", input.values, [input.rows, input.columns]);
  const outputs = await session.run({ [inputName]: tensor });
  return toMatrix(readFloats(outputs[outputName], input.rows));
}
