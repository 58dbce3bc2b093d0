import { identityCurve } from "../src/router/policy/calibrator-curve.js";
import {
  chooseSuggestions,
  type ScoreWith,
  type CatalogChange,
  type Gain,
  type MeasuredSuggestion,
} from "./suggest/choose-suggestions.js";
import type { Catalog } from "../src/documents/catalog.js";
import type { Run, ScoredRecord } from "../src/documents/scored-record.js";
import { defaultProcedure } from "../calibrate/procedure.js";
import { type ScoreRowsOptions, scoreWith, withModels } from "./score/score-rows.js";
import type { OpenModels } from "../src/router/load-models.js";
import type { History } from "../store/history/open.js";
import {
  readCatalog,
  readDataset,
  readModel,
  readPolicy,
  readRun,
  readScoredRecords,
  type Stored,
} from "../store/records/read-records.js";
import { type Session, withHistory } from "../store/records/session.js";
import { silentProgress } from "../store/step-progress.js";
import { type DeclinedGroup, groupDeclined, readUnlabelled, type UnlabelledText } from "./suggest/declined-requests.js";
import { learnableRows, type ScoredRow } from "./suggest/learnable-rows.js";
import { type CatalogProposal, proposeCatalog, editCatalog } from "./suggest/edit-catalog.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { labelSuggestion, requestsToLabel, type RequestToLabel } from "./suggest/requests-to-label.js";
import { compareAnswers } from "../eval/baselines/compare-answers.js";
import { answerOfRecord, type RankedAnswer } from "../eval/baselines/ranked-answer.js";
import { SluiceError } from "../src/base/error.js";

export interface SuggestOptions {
  /** Run id or its beginning. Default: the latest. */
  readonly run?: string | undefined;
  /** Number of measured suggestions; each one indexes a copy of the catalog. */
  readonly limit: number;
  /** Maximum number of held-out requests that are scored again per suggestion. */
  readonly requests: number;
  readonly labels: number;
  /** File of unlabelled texts in a format of `readUnlabelled`. Default: none. */
  readonly unlabelled?: string | undefined;
  readonly workers: number;
  /** File to create with a copy of the catalog with suggestions applied. Default: none. */
  readonly out?: string | undefined;
  /** 1-based numbers of the suggestions to apply. Default: those with a demonstrated gain. */
  readonly take?: readonly number[] | undefined;
}

export interface SuggestedChanges {
  readonly run: Stored<Run>;
  readonly catalog: Stored<Catalog>;
  /**
   * Number of requests from which suggestions were chosen, and number of other requests on which they were measured.
   */
  readonly chosenFrom: number;
  readonly measuredOn: number;
  /** Suggestions by descending measured gain. */
  readonly suggestions: readonly MeasuredSuggestion[];
  /** Gain of all changes to examples combined; null for fewer than two. */
  readonly together: Gain | null;
  /** The texts to label next; null if no texts were given. */
  readonly toLabel: readonly RequestToLabel[] | null;
  /** The unlabelled texts; null if none were given. */
  readonly unlabelled: readonly UnlabelledText[] | null;
  /** The written catalog; null without `out`. */
  readonly proposal: CatalogProposal | null;
}

interface Suggested extends Omit<SuggestedChanges, "proposal" | "unlabelled"> {
  /** Measures a set of changes on the same requests. */
  readonly measure: (changes: readonly CatalogChange[]) => Promise<Gain>;
}

/**
 * Suggests changes to a run's catalog, and measures each by applying it to a copy. Suggestions are chosen on one half
 * of the requests that no claim tests and measured on the other half, so no claim is invalidated. Without such requests
 * there are no suggestions. Writes nothing except `out`.
 * @throws {SluiceError} RECORD_NOT_FOUND, MODEL_INVALID; USAGE, FILE_EXISTS, CATALOG_INVALID  see `proposeCatalog`
 */
export async function suggestChanges(workbench: WorkbenchContext, options: SuggestOptions): Promise<SuggestedChanges> {
  return withHistory(workbench, "read", async (session) => {
    const unlabelled = options.unlabelled === undefined ? null : await readUnlabelled(options.unlabelled);
    const { measure, ...suggested } = await suggestFor(session, options, unlabelled);
    const { out, take } = options;
    const proposal = out === undefined ? null : await proposeCatalog({ ...suggested, measure }, { file: out, take });
    return { ...suggested, unlabelled, proposal };
  });
}

async function suggestFor(
  session: Session,
  options: SuggestOptions,
  unlabelled: readonly UnlabelledText[] | null,
): Promise<Suggested> {
  const { history, context } = session;
  const run = readRun(history, options.run);
  const catalog = readCatalog(history, run.document.catalog_sha256);
  const rows = readDataset(history, run.document.dataset_sha256).document;
  const { choose, measure: held } = learnableRows(rows, readScoredRecords(history, run), {
    testsTune: defaultProcedure.cross_fit > 1,
    fittedOnFit: isFittedOn(history, run.document),
  });
  const measure = held.slice(0, options.requests);
  const asked = rescoringOf(session, run.document, options.workers);
  const measureAlone = (changes: readonly CatalogChange[]): Promise<Gain> =>
    withModels(asked, (models) =>
      measureChange({ catalog: catalog.bytes, measure, score: scorerWith(models, asked) }, changes),
    );
  const nothing = choose.length === 0 || measure.length === 0;
  if (nothing && unlabelled === null) {
    const none = { chosenFrom: 0, suggestions: [], together: null, toLabel: null };
    return { run, catalog, measuredOn: measure.length, measure: measureAlone, ...none };
  }
  const found = await withModels(asked, async (models) => {
    const score = scorerWith(models, asked);
    const input: MeasureInput = { catalog: catalog.bytes, measure, score };
    const chosen = nothing ? [] : chooseAll({ catalog: catalog.document, choose }, options);
    const measured: MeasuredSuggestion[] = [];
    context.progress.start("measuring", chosen.length + 1);
    for (const suggestion of chosen) {
      measured.push({ ...suggestion, gain: await measureChange(input, suggestion.changes) });
      context.progress.update(measured.length);
    }
    const examples = measured.filter(({ kind }) => kind === "add_examples");
    const changes = examples.flatMap((example) => example.changes);
    return {
      suggestions: measured.sort((a, b) => (b.gain.difference ?? 0) - (a.gain.difference ?? 0)),
      together: examples.length < 2 ? null : await measureChange(input, changes),
      toLabel: unlabelled === null ? null : await labelNext(unlabelled, catalog.document, score, options.labels),
    };
  });
  context.progress.done();
  return {
    run,
    catalog,
    chosenFrom: nothing ? 0 : choose.length,
    measuredOn: measure.length,
    ...found,
    measure: measureAlone,
  };
}

export interface DeclinedOptions extends Pick<SuggestOptions, "run" | "labels" | "workers"> {
  /** File of the texts of declined requests, recorded by the caller of the service. */
  readonly file: string;
}

export interface DeclinedSuggestions {
  readonly run: Stored<Run>;
  readonly catalog: Stored<Catalog>;
  readonly declined: readonly UnlabelledText[];
  readonly groups: readonly DeclinedGroup[];
  readonly failed: number;
}

/**
 * Derives suggestions from declined requests with the catalog and models of a run. Writes nothing.
 * @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID, RECORD_NOT_FOUND, MODEL_INVALID
 */
export async function suggestFromDeclined(
  workbench: WorkbenchContext,
  { file, run: id, labels, workers }: DeclinedOptions,
): Promise<DeclinedSuggestions> {
  return withHistory(workbench, "read", async (session) => {
    const declined = await readUnlabelled(file);
    const run = readRun(session.history, id);
    const catalog = readCatalog(session.history, run.document.catalog_sha256);
    const rows = declined.map(({ id: name, text }) => ({ id: name, text, workflow_id: null }));
    const asked = rescoringOf(session, run.document, workers);
    const records = await withModels(asked, (models) => scorerWith(models, asked)(catalog.document, rows));
    const failed = records.filter(({ error_code: errorCode }) => errorCode !== null).length;
    return { run, catalog, declined, groups: groupDeclined(records, labels), failed };
  });
}

/** The suggested examples, and what more labels would gain, which is always measured. */
function chooseAll(input: Parameters<typeof chooseSuggestions>[0], { limit, labels }: SuggestOptions) {
  const label = labelSuggestion(input.choose, labels);
  const examples = chooseSuggestions(input);
  if (label === null || limit === 0) return examples.slice(0, limit);
  return [...examples.slice(0, limit - 1), label];
}

type Rescoring = Omit<ScoreRowsOptions, "catalog" | "rows" | "foldOf">;

function rescoringOf({ history, context }: Session, run: Run, workers: number): Rescoring {
  const models = {
    retrieverFiles: readModel(history, run.retriever_sha256).files,
    verifierFiles: readModel(history, run.verifier_sha256).files,
  };
  const policy = readPolicy(history, run.policy_sha256).document;
  return { policy, models, context, progress: silentProgress, workers };
}

const scorerWith =
  (models: OpenModels, rescoring: Rescoring): ScoreWith =>
  async (catalog, rows) => {
    const foldOf = new Map(rows.map(({ id }) => [`row:${id}`, "tune" as const]));
    return (await scoreWith(models, { ...rescoring, catalog, rows, foldOf })).records;
  };

async function labelNext(
  texts: readonly UnlabelledText[],
  catalog: Catalog,
  score: ScoreWith,
  most: number,
): Promise<readonly RequestToLabel[]> {
  const rows = texts.map(({ id, text }) => ({ id, text, workflow_id: null }));
  return requestsToLabel(await score(catalog, rows), most);
}

/** Whether the models of a run were fitted on its dataset. */
function isFittedOn(history: History, { retriever_sha256, verifier_sha256, dataset_sha256 }: Run): boolean {
  return [retriever_sha256, verifier_sha256].some((id) =>
    [...readModel(history, id).files.values()].some(
      (bytes) => bytes.length < largestCard && bytes.includes(dataset_sha256),
    ),
  );
}

/** Maximum size in bytes of a file that may state a model's training data; larger files are weights. */
const largestCard = 1_000_000;

interface MeasureInput {
  /** Bytes of the unchanged catalog. */
  readonly catalog: Uint8Array;
  /** Held-out requests with their scores under the unchanged catalog. */
  readonly measure: readonly ScoredRow[];
  readonly score: ScoreWith;
}

/** Applies changes to a copy of the catalog, scores the held-out requests again, and compares the results in pairs. */
async function measureChange(
  { catalog, measure, score }: MeasureInput,
  changes: readonly CatalogChange[],
): Promise<Gain> {
  const rows = measure.map(({ row, record }) => ({ ...row, workflow_id: record.workflow_id }));
  const records = await score(editCatalog(catalog, changes).document, rows);
  const pairs = records.flatMap((record, index): readonly (readonly [RankedAnswer, RankedAnswer])[] => {
    const before = measure[index]?.record;
    return before === undefined || record.error_code !== null ? [] : [answersOf(record, before)];
  });
  if (pairs.length === 0) throw new SluiceError("MODEL_RUN_FAILED", "no held-out request could be scored again");
  return gainOf(pairs);
}

/** Answers after and before a change; both use the request's original cluster and scope. */
function answersOf(after: ScoredRecord, before: ScoredRecord): readonly [RankedAnswer, RankedAnswer] {
  const base = answerOfRecord(before, identityCurve);
  const { cluster, scope } = base;
  return [{ ...answerOfRecord(after, identityCurve), cluster, scope }, base];
}

function gainOf(pairs: readonly (readonly [RankedAnswer, RankedAnswer])[]): Gain {
  const [after, before] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
  const comparison = compareAnswers(after, before, { baseline: "as it is" });
  const first = comparison.measures.find(({ name }) => name === "first_right");
  const rightOf = (answers: readonly RankedAnswer[]): number => answers.filter(({ right }) => right).length;
  return {
    in_scope: comparison.in_scope,
    before: rightOf(before),
    after: rightOf(after),
    difference: first?.difference.measured.value ?? null,
    band: first?.difference.band ?? null,
    p_value: first?.p_value ?? null,
    verdict: first?.verdict ?? "not_shown",
    comparison,
  };
}
