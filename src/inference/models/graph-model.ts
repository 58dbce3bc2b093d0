import { type InferenceSession, Tensor } from "onnxruntime-node";
import { SluiceError } from "../../errors/error.js";
import type { GraphFiles, Job, Matrix } from "../protocol.js";
import { openSession } from "./open-session.js";
import { toRunError } from "./run-error.js";
import type { JobOutcome, WorkerModel } from "./worker-model.js";

/** A graph from one float matrix to one float matrix with as many rows. */
export class GraphModel implements WorkerModel {
  private readonly session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.session = session;
  }

  /** @throws {SluiceError} MODEL_INVALID */
  static async create(graph: GraphFiles): Promise<GraphModel> {
    return new GraphModel(await openSession(graph));
  }

  /** Every job is a run of its own. */
  async *run(jobs: readonly Job[]): AsyncIterable<JobOutcome> {
    for (const { id, input } of jobs) {
      try {
        if (input.kind !== "matrix") throw new SluiceError("MODEL_RUN_FAILED", `a graph cannot run ${input.kind}`);
        yield { id, output: { matrix: await this.apply(input.matrix), truncatedRows: 0 } };
      } catch (thrown) {
        yield { id, error: toRunError(thrown) };
      }
    }
  }

  /** @throws {SluiceError} MODEL_RUN_FAILED on a malformed or non-finite output, or what ONNX Runtime throws */
  async apply(input: Matrix): Promise<Matrix> {
    const [inputName] = this.session.inputNames;
    const [outputName] = this.session.outputNames;
    if (inputName === undefined || outputName === undefined) {
      throw new SluiceError("MODEL_RUN_FAILED", "the graph has no input or no output");
    }
    const tensor = new Tensor("float32", input.values, [input.rows, input.columns]);
    const outputs = await this.session.run({ [inputName]: tensor });
    return finiteMatrix(outputs[outputName], input.rows);
  }

  release(): Promise<void> {
    return this.session.release();
  }
}

function finiteMatrix(output: Tensor | undefined, expectedRows: number): Matrix {
  const [rows, columns] = output?.dims ?? [];
  if (!(output?.data instanceof Float32Array) || rows !== expectedRows || columns === undefined) {
    throw new SluiceError("MODEL_RUN_FAILED", `model output is not a float matrix with ${expectedRows} rows`);
  }
  if (!output.data.every(Number.isFinite)) {
    throw new SluiceError("MODEL_RUN_FAILED", "model output holds a number that is not finite");
  }
  return { rows, columns, values: output.data };
}
