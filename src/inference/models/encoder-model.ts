import { SluiceError } from "../../base/error.js";
import type { Job, ModelSpec } from "../protocol.js";
import type { Pooling } from "../../documents/choices.js";
import { type TokenRow, TextTokenizer, wholeWords } from "../tokenizer/text-tokenizer.js";
import { runRows, TransformerSession } from "./transformer-session.js";
import type { JobOutcome, WorkerModel } from "./worker-model.js";
import { type FloatOutput, toMatrix } from "./float-output.js";

type EncoderSpec = Extract<ModelSpec, { readonly kind: "encoder" }>;

interface EncoderParts {
  /** Content of `tokenizer.json`. */
  readonly vocabulary: Uint8Array;
  readonly settings: Pick<EncoderSpec, "maxTokens" | "pooling" | "normalise">;
  readonly tokenizer: TextTokenizer;
  readonly session: TransformerSession;
}

export class EncoderModel implements WorkerModel {
  private readonly parts: EncoderParts;

  private constructor(parts: EncoderParts) {
    this.parts = parts;
  }

  /** @throws {SluiceError} MODEL_INVALID */
  static async create(spec: EncoderSpec): Promise<EncoderModel> {
    const tokenizer = new TextTokenizer(spec.tokenizer);
    tokenizer.single.requireRoom(spec.maxTokens, 1);
    const { maxTokens, pooling, normalise: toUnit } = spec;
    const session = await TransformerSession.open(spec);
    const vocabulary = spec.tokenizer;
    return new EncoderModel({ vocabulary, settings: { maxTokens, pooling, normalise: toUnit }, tokenizer, session });
  }

  run(jobs: readonly Job[]): AsyncIterable<JobOutcome> {
    return runRows(jobs, { read: this.read.bind(this), run: this.encode.bind(this) });
  }

  /** Words in the vocabulary, most frequent first. */
  get words(): readonly string[] {
    return wholeWords(this.parts.vocabulary);
  }

  release(): Promise<void> {
    return this.parts.session.release();
  }

  private read({ input }: Job): readonly TokenRow[] {
    if (input.kind !== "texts") throw new SluiceError("MODEL_RUN_FAILED", `an encoder cannot run ${input.kind}`);
    const { tokenizer, settings } = this.parts;
    return input.texts.map((text) => tokenizer.encodeText(text, settings.maxTokens));
  }

  private async encode(row: TokenRow): Promise<Float32Array> {
    const { session, settings } = this.parts;
    const vector = pool(await session.run(row), settings.pooling);
    return settings.normalise ? normalise(vector) : vector;
  }
}

/** Token vectors of one row, concatenated. */
interface TokenVectors {
  readonly columns: number;
  readonly values: Float32Array;
}

/** Combines the token vectors of a row into one vector, written to `target`. */
type PoolRow = (row: TokenVectors, target: Float32Array) => void;

const tokenAt = ({ columns, values }: TokenVectors, token: number): Float32Array =>
  values.subarray(token * columns, (token + 1) * columns);

const mean: PoolRow = ({ columns, values }, target) => {
  const tokens = values.length / columns;
  for (let column = 0; column < columns; column += 1) {
    let sum = 0;
    for (let at = column; at < values.length; at += columns) sum += values[at] as number;
    target[column] = sum / tokens;
  }
};

const max: PoolRow = ({ columns, values }, target) => {
  for (let column = 0; column < columns; column += 1) {
    let largest = Number.NEGATIVE_INFINITY;
    for (let at = column; at < values.length; at += columns) largest = Math.max(largest, values[at] as number);
    target[column] = largest;
  }
};

const cls: PoolRow = (row, target) => target.set(tokenAt(row, 0));

const lastToken: PoolRow = (row, target) => target.set(tokenAt(row, row.values.length / row.columns - 1));

const poolers: Readonly<Record<Exclude<Pooling, "none">, PoolRow>> = { mean, max, cls, last_token: lastToken };

/**
 * Combines the token vectors [1, tokens, columns] of one text into one vector of shape (columns); with `none`, the
 * output already is that vector.
 * @throws {SluiceError} MODEL_RUN_FAILED if the shape of the output does not match the pooling
 */
export function pool(output: FloatOutput, pooling: Pooling): Float32Array {
  if (pooling === "none") return toMatrix(output).values;
  const [, , columns = 0, ...more] = output.dims;
  if (columns === 0 || more.length > 0) {
    const found = `[${output.dims.join(", ")}]`;
    const hint = "Set pooling to none in the model description when the graph pools by itself.";
    const message = `${pooling} pooling needs an output [rows, tokens, columns], the model returned ${found}`;
    throw new SluiceError("MODEL_RUN_FAILED", message, { hint });
  }
  const vector = new Float32Array(columns);
  poolers[pooling]({ columns, values: output.values }, vector);
  return vector;
}

/** Scales a vector to Euclidean length 1; a zero vector is unchanged. */
export function normalise(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : vector;
}
