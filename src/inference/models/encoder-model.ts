import { SluiceError } from "../../errors/error.js";
import type { Job, JobOutput, Matrix, ModelSpec } from "../protocol.js";
import { requireRows } from "../require-rows.js";
import type { TokenRow } from "../tokenizer/row-template.js";
import { TextTokenizer } from "../tokenizer/text-tokenizer.js";
import { padRows } from "../tokenizer/token-batch.js";
import { requireFinite } from "./float-output.js";
import { normaliseRows, pool } from "./pooling.js";
import { runRowJobs } from "./run-row-jobs.js";
import { TransformerSession } from "./transformer-session.js";
import type { FindModel, JobOutcome, WorkerModel } from "./worker-model.js";

type EncoderSpec = Extract<ModelSpec, { readonly kind: "encoder" }>;

/** How texts are read and vectors are made: a specification without its files. */
type EncoderSettings = Pick<EncoderSpec, "maxTokens" | "sharesRuns" | "pooling" | "normalise">;

interface EncoderParts {
  readonly settings: EncoderSettings;
  readonly tokenizer: TextTokenizer;
  readonly session: TransformerSession;
  readonly find: FindModel;
}

/** Turns each text into one vector. */
export class EncoderModel implements WorkerModel {
  private readonly parts: EncoderParts;

  private constructor(parts: EncoderParts) {
    this.parts = parts;
  }

  /**
   * @param find  models of the same thread, for jobs whose vectors are passed on to one of them
   * @throws {SluiceError} MODEL_INVALID
   */
  static async create(spec: EncoderSpec, find: FindModel): Promise<EncoderModel> {
    const tokenizer = new TextTokenizer(spec.tokenizer);
    tokenizer.single.requireRoom(spec.maxTokens, 1);
    const { maxTokens, sharesRuns, pooling, normalise } = spec;
    const session = await TransformerSession.open(spec);
    return new EncoderModel({ settings: { maxTokens, sharesRuns, pooling, normalise }, tokenizer, session, find });
  }

  async *run(jobs: readonly Job[]): AsyncIterable<JobOutcome> {
    const heads = new Map(jobs.map(({ id, input }) => [id, input.kind === "texts" ? input.goesTo : null]));
    const { sharesRuns } = this.parts.settings;
    const model = { read: this.read.bind(this), sharesRuns, run: this.encode.bind(this) };
    for await (const outcome of runRowJobs(jobs, model)) {
      const head = heads.get(outcome.id) ?? null;
      yield head === null || "error" in outcome ? outcome : await this.apply(head, outcome.id, outcome.output);
    }
  }

  release(): Promise<void> {
    return this.parts.session.release();
  }

  private read({ input }: Job): readonly TokenRow[] {
    if (input.kind !== "texts") throw new SluiceError("MODEL_RUN_FAILED", `an encoder cannot run ${input.kind}`);
    const { tokenizer, settings } = this.parts;
    return input.texts.map((text) => tokenizer.encodeText(text, settings.maxTokens));
  }

  private async encode(rows: readonly TokenRow[]): Promise<Matrix> {
    const { tokenizer, session, settings } = this.parts;
    const batch = padRows(rows, tokenizer.padId);
    const vectors = pool(await session.run(batch), batch.lengths, settings.pooling);
    if (settings.normalise) normaliseRows(vectors);
    return requireFinite(vectors);
  }

  /** Gives the vectors of a job to a graph of the same thread, so that they need not leave it. */
  private async apply(head: number, id: number, output: JobOutput): Promise<JobOutcome> {
    const { matrix, truncatedRows } = requireRows(output);
    const found = this.parts.find(head);
    if (found === undefined) {
      return { id, error: new SluiceError("MODEL_RUN_FAILED", `model ${head} is not loaded`) };
    }
    for await (const outcome of found.run([{ id, model: head, input: { kind: "matrix", matrix }, alone: true }])) {
      return "error" in outcome ? outcome : { id, output: { ...requireRows(outcome.output), truncatedRows } };
    }
    return { id, error: new SluiceError("MODEL_RUN_FAILED", `model ${head} did not answer`) };
  }
}
