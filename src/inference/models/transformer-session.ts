import { type InferenceSession, Tensor } from "onnxruntime-node";
import { SluiceError } from "../../base/error.js";
import type { TransformerFiles, Job } from "../protocol.js";
import type { TokenRow } from "../tokenizer/text-tokenizer.js";
import { type FloatOutput, readFloats } from "./float-output.js";
import { openSession, toRunError } from "./open-session.js";
import type { JobOutcome } from "./worker-model.js";

const arraysOf = {
  input_ids: ({ ids }: TokenRow) => BigInt64Array.from(ids, BigInt),
  attention_mask: ({ ids }: TokenRow) => new BigInt64Array(ids.length).fill(1n),
  token_type_ids: ({ typeIds }: TokenRow) => BigInt64Array.from(typeIds, BigInt),
} as const;
type InputName = keyof typeof arraysOf;

const exportAgain =
  "Export the model again with dynamic axes, as `optimum-cli export onnx --model CHECKPOINT DIR` does.";

const isKnown = (name: string): name is InputName => Object.hasOwn(arraysOf, name);

/** A graph that maps a row of tokens to one of its outputs. */
export class TransformerSession {
  private readonly session: InferenceSession;
  private readonly inputs: readonly InputName[];
  private readonly output: string;

  private constructor(session: InferenceSession, output: string) {
    this.session = session;
    this.inputs = session.inputNames.filter(isKnown);
    this.output = output;
  }

  /** @throws {SluiceError} MODEL_INVALID if the graph has other inputs or lacks the output */
  static async open({ graph, output }: TransformerFiles): Promise<TransformerSession> {
    const session = await openSession(graph);
    const problem = problemOf(session, output);
    if (problem === null) return new TransformerSession(session, output);
    await session.release();
    throw new SluiceError("MODEL_INVALID", problem, { hint: exportAgain });
  }

  /** @throws {SluiceError} MODEL_RUN_FAILED on a malformed output, or what ONNX Runtime throws */
  async run(row: TokenRow): Promise<FloatOutput> {
    const shape = [1, row.ids.length];
    const feeds = Object.fromEntries(
      this.inputs.map((name) => [name, new Tensor("int64", arraysOf[name](row), shape)] as const),
    );
    const outputs = await this.session.run(feeds, [this.output]);
    return readFloats(outputs[this.output], 1);
  }

  release(): Promise<void> {
    return this.session.release();
  }
}

/**
 * Name of an axis with an unsuitable fixed size. Texts run one at a time, so a batch of 1 is accepted; their lengths
 * vary, so a fixed length is not.
 */
function fixedAxis(name: string, [batch, sequence]: readonly (number | string)[]): string | null {
  if (typeof batch === "number" && batch > 1) {
    return `the graph's input ${name} has axis 0 (batch) fixed at ${batch}, expected 1 or a size that varies`;
  }
  if (typeof sequence === "number" && sequence > 0) {
    return `the graph's input ${name} has axis 1 (sequence) fixed at ${sequence}, expected a size that varies`;
  }
  return null;
}

function problemOf(session: InferenceSession, output: string): string | null {
  const unknown = session.inputNames.find((name) => !isKnown(name));
  if (unknown !== undefined) {
    return `the graph requires the unknown input ${unknown}; known inputs: ${Object.keys(arraysOf).join(", ")}`;
  }
  if (!session.inputNames.includes("input_ids")) return "the graph has no input input_ids";
  for (const input of session.inputMetadata) {
    if (!input.isTensor) continue;
    if (input.type !== "int64") return `the graph's input ${input.name} is ${input.type}, not int64`;
    const fixed = fixedAxis(input.name, input.shape);
    if (fixed !== null) return fixed;
  }
  if (session.outputNames.includes(output)) return null;
  return `the graph has no output ${output}; it has ${session.outputNames.join(", ")}`;
}

interface RowModel {
  /** Tokenises a job. @throws if the job does not fit the model */
  readonly read: (job: Job) => readonly TokenRow[];
  /** Runs a single row and returns its columns. */
  readonly run: (row: TokenRow) => Promise<Float32Array>;
}

/**
 * Runs jobs row by row. Graphs with dynamic quantisation scale numbers by the content of the whole run, so each row
 * runs separately and its output depends on that row only.
 */
export async function* runRows(jobs: readonly Job[], model: RowModel): AsyncIterable<JobOutcome> {
  for (const job of jobs) {
    try {
      yield { id: job.id, output: await outputOf(model.read(job), model) };
    } catch (thrown) {
      yield { id: job.id, error: toRunError(thrown) };
    }
  }
}

async function outputOf(rows: readonly TokenRow[], { run }: RowModel) {
  if (rows.length === 0) throw new SluiceError("MODEL_RUN_FAILED", "the job holds no text");
  const outputs: Float32Array[] = [];
  for (const row of rows) outputs.push(await run(row));
  const columns = outputs[0]?.length ?? 0;
  const values = new Float32Array(rows.length * columns);
  for (const [place, output] of outputs.entries()) {
    if (output.length !== columns || !output.every(Number.isFinite)) {
      const message = "the model output contains a number that is not finite, or rows of different lengths";
      throw new SluiceError("MODEL_RUN_FAILED", message);
    }
    values.set(output, place * columns);
  }
  const truncatedRows = rows.filter(({ truncated }) => truncated).length;
  return { kind: "rows", matrix: { rows: rows.length, columns, values }, truncatedRows } as const;
}
