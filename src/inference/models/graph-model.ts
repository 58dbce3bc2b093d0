import { type InferenceSession, Tensor } from "onnxruntime-node";
import { SluiceError } from "../../errors/error.js";
import type { GraphFiles, Job, Matrix } from "../protocol.js";
import { readFloats, requireFinite, toMatrix } from "./float-output.js";
import { openSession } from "./open-session.js";
import { toRunError } from "./run-error.js";
import { shareableRows } from "./shareable-rows.js";
import type { JobOutcome, WorkerModel } from "./worker-model.js";

/** A job whose input is a matrix. */
interface MatrixJob {
  readonly id: number;
  readonly matrix: Matrix;
}

/** A graph from one float matrix to one float matrix with as many rows. */
export class GraphModel implements WorkerModel {
  private readonly session: InferenceSession;
  /** Rows of one run that may come from different jobs. */
  private readonly shareable: number;

  private constructor(session: InferenceSession, shareable: number) {
    this.session = session;
    this.shareable = shareable;
  }

  /** @throws {SluiceError} MODEL_INVALID */
  static async create(graph: GraphFiles): Promise<GraphModel> {
    const session = await openSession(graph, false);
    const [input] = session.inputMetadata;
    const columns = input?.isTensor === true ? input.shape[1] : undefined;
    if (typeof columns !== "number") return new GraphModel(session, 1);
    return new GraphModel(session, await shareableRows((matrix) => apply(session, matrix), columns));
  }

  /** Jobs share a run where that changes no bit of a row; when it fails, each runs alone. */
  async *run(jobs: readonly Job[]): AsyncIterable<JobOutcome> {
    let together: MatrixJob[] = [];
    let rows = 0;
    for (const { id, input, alone } of jobs) {
      if (input.kind !== "matrix") {
        yield { id, error: new SluiceError("MODEL_RUN_FAILED", `a graph cannot run ${input.kind}`) };
        continue;
      }
      const job = { id, matrix: input.matrix };
      if (alone) {
        yield this.runOne(job);
        continue;
      }
      const [first = job] = together;
      const fits = rows + job.matrix.rows <= this.shareable && job.matrix.columns === first.matrix.columns;
      if (together.length > 0 && !fits) {
        yield* await this.runTogether(together);
        together = [];
        rows = 0;
      }
      together.push(job);
      rows += job.matrix.rows;
    }
    yield* await this.runTogether(together);
  }

  release(): Promise<void> {
    return this.session.release();
  }

  private async runTogether(jobs: readonly MatrixJob[]): Promise<readonly JobOutcome[]> {
    if (jobs.length > 1) {
      try {
        const output = requireFinite(await apply(this.session, joined(jobs)));
        return apart(jobs, output);
      } catch {
        // One of them is to blame.
      }
    }
    const outcomes: JobOutcome[] = [];
    for (const job of jobs) outcomes.push(await this.runOne(job));
    return outcomes;
  }

  private async runOne({ id, matrix }: MatrixJob): Promise<JobOutcome> {
    try {
      const output = requireFinite(await apply(this.session, matrix));
      return { id, output: { kind: "rows", matrix: output, truncatedRows: 0 } };
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

function joined(jobs: readonly MatrixJob[]): Matrix {
  const columns = jobs[0]?.matrix.columns ?? 0;
  const rows = jobs.reduce((sum, { matrix }) => sum + matrix.rows, 0);
  const values = new Float32Array(rows * columns);
  let row = 0;
  for (const { matrix } of jobs) {
    values.set(matrix.values, row * columns);
    row += matrix.rows;
  }
  return { rows, columns, values };
}

function apart(jobs: readonly MatrixJob[], { columns, values }: Matrix): readonly JobOutcome[] {
  let row = 0;
  return jobs.map(({ id, matrix: { rows } }) => {
    const own = values.slice(row * columns, (row + rows) * columns);
    row += rows;
    return { id, output: { kind: "rows", matrix: { rows, columns, values: own }, truncatedRows: 0 } };
  });
}
