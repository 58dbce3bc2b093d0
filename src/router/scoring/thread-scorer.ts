import type { Workflow } from "../../documents/catalog.js";
import { type RunScope, unbounded, type WorkClocks } from "../../documents/run-scope.js";
import type { TextScores, TextToScore } from "../../documents/text-scores.js";
import { SluiceError } from "../../base/error.js";
import { LocalModels } from "../../inference/models/local-models.js";
import { toRunError } from "../../inference/models/open-session.js";
import type { FindModel, JobOutcome, WorkerModel } from "../../inference/models/worker-model.js";
import { carriedProcessorMs } from "../../inference/processor-time.js";
import type { BuiltIndex, Job, ScorerOutput, ScorerSpec } from "../../inference/protocol.js";
import { SharedMemory } from "../../inference/shared-memory.js";
import { SharedRows } from "../../inference/shared-rows.js";
import type { LoadContext } from "../../inference/serve-thread.js";
import { compileInputPatterns, type InputPatterns } from "../inputs/input-patterns.js";
import { findRequiredInputs, foundRequiredInputs, patternBudget } from "../inputs/resolve.js";
import { activeWorkflows, type EligibleWorkflows } from "../policy/eligibility.js";
import { bestPositions } from "../retrieval/best-positions.js";
import { logOddsOf } from "../retrieval/detector.js";
import { loadRetriever } from "../retrieval/load-retriever.js";
import type { Detector, RetrieverModel, VerifierModel } from "../../documents/model.js";
import type { DescribedFiles } from "../retrieval/model-files.js";
import type { HybridRetriever, IndexedRanking, IndexToShare } from "../retrieval/hybrid-retriever.js";
import { type EncodedTexts, TransformerEncoder } from "../retrieval/text-encoder.js";
import { loadVerifier } from "../verification/load-verifier.js";
import type { Verifier } from "../verification/verifier.js";
import { readCatalogLines } from "../catalog-lines.js";
import { candidatePositions } from "../candidates.js";
import { packScores } from "./packed-scores.js";

interface ScorerParts {
  readonly workflows: readonly Pick<Workflow, "required_inputs">[];
  readonly models: LocalModels;
  readonly retriever: HybridRetriever;
  readonly verifier: Verifier;
  readonly patterns: InputPatterns;
  /** null for a retriever that recognises no closing text. */
  readonly closing: Detector | null;
  /** null for a retriever that recognises no new wish. */
  readonly newWish: Detector | null;
}

const now = (): number => performance.now();
const clocks: WorkClocks = { now, workedMs: carriedProcessorMs(now) };

export class ThreadScorer implements WorkerModel {
  readonly built: BuiltIndex;
  private readonly parts: ScorerParts;

  private constructor(parts: ScorerParts, built: IndexToShare | null) {
    this.parts = parts;
    this.built = built ?? parts.retriever.index.toShare();
  }

  /**
   * Builds the index, or opens one that another thread has built. @throws {SluiceError} those of `loadRetriever` and
   * `loadVerifier`
   */
  static async create(spec: ScorerSpec, { find, onProgress, signal }: LoadContext): Promise<ThreadScorer> {
    const catalog = await readCatalogLines(spec.catalog, () => Promise.resolve());
    const workflows = activeWorkflows(catalog);
    const patterns = compileInputPatterns(catalog);
    const models = new LocalModels(find);
    try {
      const built = spec.built as IndexToShare | null;
      const options = { onProgress, signal, built, encoded: encodedTexts(spec, models, find) };
      const retriever = await loadRetriever(retrieverOf(spec), workflows, models, options);
      const verifier = await loadVerifier(verifierOf(spec), retriever, workflows, patterns, models);
      const inputs = workflows.map(({ required_inputs: requiredInputs }) => ({ required_inputs: requiredInputs }));
      const { closing = null, new_wish: newWish = null } = spec.retriever;
      return new ThreadScorer({ workflows: inputs, models, retriever, verifier, patterns, closing, newWish }, built);
    } catch (thrown) {
      await models.release();
      throw thrown;
    }
  }

  /** Requests in the same message are scored concurrently: while one waits for a model, another is prepared. */
  run(jobs: readonly Job[]): AsyncIterable<JobOutcome> {
    const receivedMs = clocks.now();
    return asSettled(jobs.map((job) => this.outcome(job, receivedMs)));
  }

  release(): Promise<void> {
    return this.parts.models.release();
  }

  private async outcome({ id, input }: Job, receivedMs: number): Promise<JobOutcome> {
    try {
      if (input.kind !== "request") throw new SluiceError("MODEL_RUN_FAILED", `a scorer cannot run ${input.kind}`);
      return { id, output: await this.score(input.request, scopeOf(input.request, receivedMs)) };
    } catch (thrown) {
      return { id, error: toRunError(thrown) };
    }
  }

  private async score(request: TextToScore, scope: RunScope): Promise<ScorerOutput> {
    if (scope.remainingMs() <= 0)
      throw new SluiceError("DEADLINE_EXCEEDED", "the deadline passed while waiting in the queue");
    const { retriever, verifier, closing, newWish, patterns: searched } = this.parts;
    const eligible = { hasPosition: (position: number) => request.eligible[position] === 1 };
    const { lookedUp } = request;
    const corrected = retriever.correct(request.text);
    if (lookedUp !== null && lookedUp.text !== corrected.text) return { kind: "look_up", text: corrected.text };
    const read = await retriever.encode(corrected, scope, lookedUp?.encoded);
    // The index stores the similarities of only one text, so everything that reads them must run before the next await.
    const ranking = retriever.rankRead(read);
    const ranked = clocks.now();
    const best = bestPositions(ranking, request.ranks);
    const positions = verifiedPositions(request, { ranking, eligible, best });
    const verification = await verifier.verify(request.text, ranking, positions, scope);
    const verified = clocks.now();
    const patterns = this.findings(request, positions.filter(eligible.hasPosition), verification.patterns);
    const resolved = clocks.now();
    const scores: TextScores = {
      positions,
      retrievalScores: positions.map((position) => ranking.scores[position] ?? 0),
      logits: verification.logits,
      features: verification.features?.values ?? null,
      encoded:
        lookedUp?.encoded === null && read.vector !== null ? { vector: read.vector, truncated: read.truncated } : null,
      patterns,
      ranking: best,
      textCut: ranking.truncated,
      pairsCut: verification.truncatedRows,
      closing: logOddsOf(closing, read.vector),
      newWish: logOddsOf(newWish, read.vector),
      tookMs: { verify: verified - ranked, resolve: resolved - verified },
    };
    return { kind: "scores", scores: packScores(scores, searched.list) };
  }

  /** @param found patterns that the verifier found; null to search for them */
  private findings(
    { text, patternBudgetMs }: TextToScore,
    eligible: readonly number[],
    found: readonly string[] | null,
  ): TextScores["patterns"] {
    const { workflows, patterns } = this.parts;
    const budget = patternBudgetMs === null ? unbounded : patternBudget(patternBudgetMs, clocks);
    const candidates = eligible.flatMap((position) => workflows[position] ?? []);
    if (found !== null) return foundRequiredInputs(candidates, found, budget);
    return findRequiredInputs(candidates, text, patterns, budget);
  }
}

/** The candidates, and a workflow that is verified wherever it ranks. */
function verifiedPositions(
  { topK, ineligibleCompetitors, also }: TextToScore,
  {
    ranking,
    eligible,
    best,
  }: {
    readonly ranking: IndexedRanking;
    readonly eligible: Pick<EligibleWorkflows, "hasPosition">;
    readonly best: readonly number[];
  },
): readonly number[] {
  // A text without words matches no workflow, regardless of its vector.
  if (ranking.similarities.words === 0) return [];
  const limits = { top_k: topK, ineligible_competitors: ineligibleCompetitors };
  const chosen = candidatePositions(ranking, eligible, limits, best);
  return also === null || chosen.includes(also) ? chosen : [...chosen, also];
}

/** The caller watches signal and deadline. The thread checks only the time, to skip abandoned work. */
function scopeOf({ leftMs, patternBudgetMs }: TextToScore, receivedMs: number): RunScope {
  return {
    remainingMs: () => receivedMs + leftMs - clocks.now(),
    signal: null,
    clocks: patternBudgetMs === null ? null : clocks,
  };
}

function encodedTexts({ encodedCatalog }: ScorerSpec, models: LocalModels, find: FindModel): EncodedTexts | undefined {
  if (encodedCatalog === null) return undefined;
  const { encoder, heads } = encodedCatalog;
  const vectors = new SharedRows(encodedCatalog.vectors, new SharedMemory(encodedCatalog.vectors.memory));
  const words = (): readonly string[] => find(encoder)?.words ?? [];
  const parts = { dimensions: vectors.columns, words, loaded: models.at(encoder) };
  return { encoder: new TransformerEncoder(parts), vectors, heads };
}

const retrieverOf = ({ retriever, retrieverFiles }: ScorerSpec): DescribedFiles<RetrieverModel> => {
  return { model: retriever, files: filesOf(retrieverFiles) };
};

const verifierOf = ({ verifier, verifierFiles }: ScorerSpec): DescribedFiles<VerifierModel> => {
  return { model: verifier, files: filesOf(verifierFiles) };
};

/** Bytes sent between threads arrive as plain arrays instead of buffers. */
const filesOf = (files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Buffer> =>
  new Map([...files].map(([path, bytes]) => [path, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]));

/** Yields values in the order in which their promises are fulfilled; none may be rejected. */
async function* asSettled<T>(promises: readonly Promise<T>[]): AsyncIterable<T> {
  const settled: T[] = [];
  let wake = (): void => undefined;
  for (const promise of promises) {
    void promise.then((value) => {
      settled.push(value);
      wake();
    });
  }
  for (let given = 0; given < promises.length; given += 1) {
    if (given >= settled.length) await new Promise<void>((resolve) => (wake = resolve));
    yield settled[given] as T;
  }
}
