import { SluiceError } from "../../errors/error.js";
import type { Job, ModelSpec } from "../protocol.js";
import type { TokenRow } from "../tokenizer/row-template.js";
import { wholeWords } from "../tokenizer/whole-words.js";
import { TextTokenizer } from "../tokenizer/text-tokenizer.js";
import { normalise, pool } from "./pooling.js";
import { runRows } from "./run-rows.js";
import { TransformerSession } from "./transformer-session.js";
import type { JobOutcome, WorkerModel } from "./worker-model.js";

type EncoderSpec = Extract<ModelSpec, { readonly kind: "encoder" }>;

interface EncoderParts {
  /** Bytes of `tokenizer.json`. */
  readonly vocabulary: Uint8Array;
  readonly settings: Pick<EncoderSpec, "maxTokens" | "pooling" | "normalise">;
  readonly tokenizer: TextTokenizer;
  readonly session: TransformerSession;
}

/** Turns each text into one vector. */
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

  /** Words that it knows, the frequent ones first. */
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
