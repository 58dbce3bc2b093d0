import { SluiceError } from "../../base/error.js";
import type { Job, ModelSpec } from "../protocol.js";
import { type Segment, type TokenRow, TextTokenizer } from "../tokenizer/text-tokenizer.js";
import { toMatrix } from "./float-output.js";
import { runRows, TransformerSession } from "./transformer-session.js";
import type { JobOutcome, WorkerModel } from "./worker-model.js";

type PairScorerSpec = Extract<ModelSpec, { readonly kind: "pair_scorer" }>;

interface PairScorerParts {
  readonly settings: Pick<PairScorerSpec, "maxTokens" | "documents">;
  readonly tokenizer: TextTokenizer;
  readonly session: TransformerSession;
}

/** Runs the graph on each pair of text and document, and returns its output columns. */
export class PairScorerModel implements WorkerModel {
  private readonly parts: PairScorerParts;
  /** Documents do not change, so each is tokenised only once, on first use. */
  private readonly segments = new Map<number, Segment>();

  private constructor(parts: PairScorerParts) {
    this.parts = parts;
  }

  /** @throws {SluiceError} MODEL_INVALID */
  static async create(spec: PairScorerSpec): Promise<PairScorerModel> {
    const tokenizer = new TextTokenizer(spec.tokenizer);
    tokenizer.requirePair().requireRoom(spec.maxTokens, 2);
    const { maxTokens, documents } = spec;
    const session = await TransformerSession.open(spec);
    return new PairScorerModel({ settings: { maxTokens, documents }, tokenizer, session });
  }

  run(jobs: readonly Job[]): AsyncIterable<JobOutcome> {
    return runRows(jobs, { read: this.read.bind(this), run: this.score.bind(this) });
  }

  release(): Promise<void> {
    return this.parts.session.release();
  }

  private read({ input }: Job): readonly TokenRow[] {
    if (input.kind !== "pairs") throw new SluiceError("MODEL_RUN_FAILED", `a pair scorer cannot run ${input.kind}`);
    const { tokenizer, settings } = this.parts;
    const text = tokenizer.segment(input.text);
    return input.documents.map((at) => tokenizer.encodePair(text, this.document(at), settings.maxTokens));
  }

  private document(at: number): Segment {
    const known = this.segments.get(at);
    if (known !== undefined) return known;
    const document = this.parts.settings.documents[at];
    if (document === undefined) throw new SluiceError("MODEL_RUN_FAILED", `the model has no document ${at}`);
    const segment = this.parts.tokenizer.segment(document);
    this.segments.set(at, segment);
    return segment;
  }

  private async score(row: TokenRow): Promise<Float32Array> {
    return toMatrix(await this.parts.session.run(row)).values;
  }
}
