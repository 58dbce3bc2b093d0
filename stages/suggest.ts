import type { Catalog } from "../src/documents/catalog.js";
import type { Run, ScoredRecord } from "../src/documents/scored-record.js";
import { defaultCrossFit } from "../calibrate/fit-options.js";
import { type ScoreRowsOptions, scoreWith, withModels } from "./score/score-rows.js";
import type { OpenModels } from "../src/router/load-models.js";
import type { History } from "../store/history/open.js";
import {
  type Stored,
  readCatalog,
  readDataset,
  readModel,
  readPolicy,
  readRun,
  readScoredRecords,
} from "../store/records/read-records.js";
import type { Session } from "../store/records/session.js";
import { silentProgress, type StepProgress } from "../store/step-progress.js";
import type { CatalogChange } from "./suggest/catalog-change.js";
import { chooseSuggestions, type ChooseInput } from "./suggest/choose-suggestions.js";
import { type DeclinedGroup, groupDeclined } from "./suggest/declined-requests.js";
import { learnableRows, type ScoredRow } from "./suggest/learnable-rows.js";
import type { UnlabelledText } from "./suggest/read-unlabelled.js";
import { labelSuggestion, type RequestToLabel, requestsToLabel } from "./suggest/requests-to-label.js";
import { type Gain, type MeasuredSuggestion, type Suggestion, suggestionKinds } from "./suggest/suggestion.js";
import { compareAnswers } from "../eval/baselines/compare-answers.js";
import { answerOfRecord, type RankedAnswer } from "../eval/baselines/ranked-answer.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { SluiceError } from "../src/base/error.js";
import { editCatalog } from "./suggest/edit-catalog.js";
import { confusionPairs } from "../eval/requests/confusion-pairs.js";
import { decideRequest } from "../eval/requests/decided-request.js";
import { applyCalibration } from "../src/router/policy/apply-calibration.js";

export interface SuggestOptions {
  readonly runId?: string | undefined;
  /** Number of suggestions that are measured; each indexes a copy of the catalog. */
  readonly limit: number;
  /** Maximum number of held-out requests scored again for each suggestion. */
  readonly requests: number;
  /** Requests to label. */
  readonly labels: number;
  /** Texts that could be labelled; null where none are given. */
  readonly unlabelled: readonly UnlabelledText[] | null;
  /** Inference threads. */
  readonly workers: number;
}

export interface SuggestedChanges {
  readonly run: Stored<Run>;
  readonly catalog: Stored<Catalog>;
  /** Requests that suggestions were chosen from, and others that measured them. */
  readonly chosenFrom: number;
  readonly measuredOn: number;
  /** The largest measured gain first. */
  readonly suggestions: readonly MeasuredSuggestion[];
  /** Every change of examples among them at once; null for fewer than two. */
  readonly together: Gain | null;
  /** The texts to label next; null where none were given. */
  readonly toLabel: readonly RequestToLabel[] | null;
  /** Measures any set of changes on the same requests. */
  readonly measure: (changes: readonly CatalogChange[]) => Promise<Gain>;
}

/**
 * Suggests changes of the catalog of a run, and measures each by applying it to a copy. Choosing reads one half of
 * the requests that no claim tests, measuring the other, so no claim is invalidated; without such requests there are no
 * suggestions. Nothing is written.
 * @throws {SluiceError} those of reading and loading
 */
export async function suggestChanges(session: Session, options: SuggestOptions): Promise<SuggestedChanges> {
  const { history, context } = session;
  const run = readRun(history, options.runId);
  const catalog = readCatalog(history, run.document.catalog_sha256);
  const rows = readDataset(history, run.document.dataset_sha256).document;
  const { choose, measure: held } = learnableRows(rows, readScoredRecords(history, run), {
    testsTune: defaultCrossFit > 1,
    fittedOnFit: isFittedOn(history, run.document),
  });
  const measure = held.slice(0, options.requests);
  const asked = rescoringOf(session, run.document, options.workers);
  const measureAlone = (changes: readonly CatalogChange[]): Promise<Gain> =>
    withModels(asked, (models) =>
      measureChange({ catalog: catalog.bytes, measure, score: scorerWith(models, asked) }, changes),
    );
  const nothing = choose.length === 0 || measure.length === 0;
  if (nothing && options.unlabelled === null) {
    const none = { chosenFrom: 0, suggestions: [], together: null, toLabel: null };
    return { run, catalog, measuredOn: measure.length, measure: measureAlone, ...none };
  }
  const found = await withModels(asked, async (models) => {
    const score = scorerWith(models, asked);
    const input: MeasureInput = { catalog: catalog.bytes, measure, score };
    const chosen = nothing
      ? []
      : await chooseAll({ catalog: catalog.document, choose }, score, { ...options, progress: context.progress });
    const measured: MeasuredSuggestion[] = [];
    context.progress.start("measuring", chosen.length + 1);
    for (const suggestion of chosen) {
      measured.push({ ...suggestion, gain: await measureChange(input, suggestion.changes) });
      context.progress.update(measured.length);
    }
    const examples = measured.filter(({ kind }) => kind === "add_examples" || kind === "move_example");
    const changes = examples.flatMap((example) => example.changes);
    return {
      suggestions: measured.sort((a, b) => (b.gain.difference ?? 0) - (a.gain.difference ?? 0)),
      together: examples.length < 2 ? null : await measureChange(input, changes),
      toLabel:
        options.unlabelled === null
          ? null
          : await labelNext(options.unlabelled, catalog.document, score, options.labels),
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

export interface DeclinedOptions extends Pick<SuggestOptions, "runId" | "labels" | "workers"> {
  /** Texts of declined requests, which the caller of the service kept. */
  readonly declined: readonly UnlabelledText[];
}

export interface DeclinedSuggestions {
  readonly run: Stored<Run>;
  readonly catalog: Stored<Catalog>;
  readonly groups: readonly DeclinedGroup[];
  /** Requests that could not be scored. */
  readonly failed: number;
}

/**
 * What declined requests propose under the catalog and the models of a run. Nothing is written.
 * @throws {SluiceError} those of reading and loading
 */
export async function suggestFromDeclined(session: Session, options: DeclinedOptions): Promise<DeclinedSuggestions> {
  const run = readRun(session.history, options.runId);
  const catalog = readCatalog(session.history, run.document.catalog_sha256);
  const rows = options.declined.map(({ id, text }) => ({ id, text, workflow_id: null }));
  const asked = rescoringOf(session, run.document, options.workers);
  const records = await withModels(asked, (models) => scorerWith(models, asked)(catalog.document, rows));
  const failed = records.filter(({ error_code: errorCode }) => errorCode !== null).length;
  return { run, catalog, groups: groupDeclined(records, options.labels), failed };
}

async function chooseAll(
  input: Parameters<typeof chooseSuggestions>[0],
  score: ScoreWith,
  { limit, labels, progress }: SuggestOptions & { readonly progress: StepProgress },
): Promise<readonly Suggestion[]> {
  const label = labelSuggestion(input.choose, labels);
  const all = [
    ...chooseSuggestions(input),
    ...(await misplacedExamples(input, score, progress)),
    ...(label === null ? [] : [label]),
  ];
  return takeTurns(all).slice(0, limit);
}

/** The first of each kind, then the second of each kind, and so on. */
function takeTurns(suggestions: readonly Suggestion[]): readonly Suggestion[] {
  const byKind = suggestionKinds.map((kind) => suggestions.filter((suggestion) => suggestion.kind === kind));
  const most = Math.max(0, ...byKind.map((own) => own.length));
  return Array.from({ length: most }, (_, turn) => byKind.flatMap((own) => own[turn] ?? [])).flat();
}

/** How the requests of a run are scored again. */
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

/** Bytes of a description that names what a model was fitted on; weights are larger. */
const largestCard = 1_000_000;

/** The verifier's own probability: thresholds were certified on labels that no suggestion may see. */
const uncalibrated = { slope: 1, intercept: 0 } as const;

interface MeasureInput {
  /** Bytes of the catalog as it is. */
  readonly catalog: Uint8Array;
  /** Held-out requests with their scores under that catalog. */
  readonly measure: readonly ScoredRow[];
  readonly score: ScoreWith;
}

/** Applies changes to a copy of the catalog, scores the held-out requests again and compares them in pairs. */
async function measureChange(
  { catalog, measure, score }: MeasureInput,
  changes: readonly CatalogChange[],
): Promise<Gain> {
  const merged = new Map(
    changes.flatMap((change) => (change.kind === "merge" ? [[change.from, change.into] as const] : [])),
  );
  const rows = measure.map(({ row, record }) => relabelled({ ...row, workflow_id: record.workflow_id }, merged));
  const records = await score(editCatalog(catalog, changes).document, rows);
  const pairs = records.flatMap((record, index): readonly (readonly [RankedAnswer, RankedAnswer])[] => {
    const before = measure[index]?.record;
    return before === undefined || record.error_code !== null ? [] : [answersOf(record, before)];
  });
  if (pairs.length === 0) throw new SluiceError("MODEL_RUN_FAILED", "no held-out request could be scored again");
  return gainOf(pairs);
}

/** Both decisions count in the request's original cluster and scope. */
function answersOf(after: ScoredRecord, before: ScoredRecord): readonly [RankedAnswer, RankedAnswer] {
  const base = answerOfRecord(before, uncalibrated);
  const { cluster, scope } = base;
  return [{ ...answerOfRecord(after, uncalibrated), cluster, scope }, base];
}

function relabelled(row: LabelledRequest, merged: ReadonlyMap<WorkflowId, WorkflowId>): LabelledRequest {
  if (merged.size === 0) return row;
  const renamed = (id: WorkflowId): WorkflowId => merged.get(id) ?? id;
  const { workflow_id: workflowId, allowed_workflow_ids: allowedWorkflowIds } = row;
  return {
    ...row,
    workflow_id: workflowId === null ? null : renamed(workflowId),
    ...(allowedWorkflowIds === undefined || allowedWorkflowIds === null
      ? {}
      : { allowed_workflow_ids: [...new Set(allowedWorkflowIds.map((id) => renamed(id as WorkflowId)))] }),
  };
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

/** Number of parts; the examples of one part are removed in each load of the models. */
const parts = 3;
/** Maximum number of examples to test. */
const mostExamples = 600;
/** Lead of another workflow from which an example counts as misplaced. */
const leastLead = 0.2;

/** Scores requests with a changed catalog. */
type ScoreWith = (catalog: Catalog, rows: readonly LabelledRequest[]) => Promise<readonly ScoredRecord[]>;

interface Example {
  readonly workflowId: WorkflowId;
  readonly place: number;
  readonly text: string;
}

/** Examples of confused workflows that match another workflow better when removed from theirs; largest lead first. */
async function misplacedExamples(
  input: ChooseInput,
  score: ScoreWith,
  progress: StepProgress,
): Promise<readonly Suggestion[]> {
  progress.start("testing examples", parts);
  const examples = examplesOf(input).slice(0, mostExamples);
  const found: { readonly lead: number; readonly suggestion: Suggestion }[] = [];
  for (let part = 0; part < parts; part += 1) {
    const tested = examples.filter((_, index) => index % parts === part);
    if (tested.length === 0) break;
    const rows = tested.map(({ text, workflowId }, index) => ({
      id: `example-${index}`,
      text,
      workflow_id: workflowId,
    }));
    const records = await score(without(input.catalog, tested), rows);
    for (const [index, record] of records.entries()) {
      const example = tested[index];
      const better = example === undefined ? null : betterThan(record, example.workflowId);
      if (example === undefined || better === null) continue;
      found.push({ lead: better.lead, suggestion: moveOf(example, better.workflowId) });
    }
    progress.update(part + 1);
  }
  return found.sort((a, b) => b.lead - a.lead).map(({ suggestion }) => suggestion);
}

/** Examples of workflows that rank first for requests of others. */
function examplesOf({ catalog, choose }: ChooseInput): readonly Example[] {
  const decided = choose.map(({ record }) => decideRequest(record, { thresholds: null, topK: 1 }));
  const confused = new Set(confusionPairs(decided).map(({ first_workflow_id: firstWorkflowId }) => firstWorkflowId));
  return catalog.workflows
    .filter(({ workflow_id: workflowId, examples }) => confused.has(workflowId) && examples.length > 1)
    .flatMap(({ workflow_id: workflowId, examples }) =>
      examples.map((text, index) => ({ workflowId, place: index + 1, text })),
    );
}

function without(catalog: Catalog, tested: readonly Example[]): Catalog {
  const gone = new Set(tested.map(({ workflowId, text }) => JSON.stringify([workflowId, text])));
  const workflows = catalog.workflows.map((workflow) => ({
    ...workflow,
    examples: workflow.examples.filter((text) => !gone.has(JSON.stringify([workflow.workflow_id, text]))),
  }));
  return { ...catalog, workflows };
}

/** The workflow that leads the example's workflow by the required amount. */
function betterThan(
  record: ScoredRecord,
  workflowId: WorkflowId,
): { readonly workflowId: WorkflowId; readonly lead: number } | null {
  if (record.error_code !== null) return null;
  const ranked = applyCalibration({ slope: 1, intercept: 0 }, record.candidates);
  const [first] = ranked.filter(({ eligible }) => eligible);
  if (first === undefined || first.workflow_id === workflowId) return null;
  const own = ranked.find((candidate) => candidate.workflow_id === workflowId)?.confidence ?? 0;
  const lead = first.confidence - own;
  return lead < leastLead ? null : { workflowId: first.workflow_id, lead };
}

const moveOf = ({ workflowId: from, place, text }: Example, to: WorkflowId): Suggestion => ({
  kind: "move_example",
  workflows: [from, to],
  requests: [],
  support: 1,
  sentence: `Move example ${place} of ${from} to ${to}: without it, it matches ${to} better.`,
  changes: [{ kind: "move_example", from, to, example: text }],
});
