import { identityCurve } from "../src/router/policy/calibrator-curve.js";
import type { ValuesOf } from "../src/base/options.js";
import {
  type decidedRunOptions,
  type errorsOptions,
  type explainOptions,
  type exportOptions,
  noWorkflow,
} from "./options/eval.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { withHistory } from "../store/records/session.js";
import { shownFold } from "../eval/shown-fold.js";
import { type DecidedRequest, decideRequest, decideRequests } from "../eval/requests/decided-request.js";
import type { Fold, RiskTier } from "../src/documents/choices.js";
import type { History } from "../store/history/open.js";
import {
  type ChosenThresholds,
  type MeasurableRun,
  measurableRun,
  textsOfRun,
  type ThresholdChoice,
  thresholdsFor,
  whyUndecided,
} from "./evaluate/measurable-run.js";
import {
  confusionPairs,
  bucketCounts,
  type ErrorGroup,
  errorGroups,
  passesFilter,
  type RequestFilter,
} from "../eval/requests/error-groups.js";
import type { ConfusionPair } from "../src/documents/comparison.js";
import { type ErrorOrder, givenOnly } from "./choices.js";
import { extname } from "node:path";
import { candidateTable, requestTable, tableFormats } from "../eval/export/request-table.js";
import { replaceFile } from "../src/base/files.js";
import { command, say, SluiceError, type Text } from "../src/base/error.js";
import { type EvaluatedThresholds, thresholdsOfRequest } from "../eval/metrics/evaluated-thresholds.js";
import type { CalibratedCandidate, Decision } from "../src/documents/decision.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { applyCalibration, matchLogit } from "../src/router/policy/apply-calibration.js";
import { type OutcomeChange, whatWouldChange } from "../src/router/policy/what-would-change.js";
import { shortId } from "../src/base/text.js";

type DecideRunOptions = ValuesOf<typeof decidedRunOptions>;

export interface DecidedRun {
  readonly run: MeasurableRun;
  readonly thresholds: ChosenThresholds | null;
  readonly requests: readonly DecidedRequest[];
  /** The fold of the requests: CERTIFY where EVAL was asked for and is empty. */
  readonly fold: Fold | "all";
  /** Reasons why nothing is decided. */
  readonly warnings: readonly string[];
}

/**
 * Decides the requests of a run with the thresholds that apply to it.
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS; CALIBRATION_INVALID  the specified calibration has
 *   different identities
 */
function decidedRun(history: History, { run: id, fold: asked, ...choice }: DecideRunOptions): DecidedRun {
  const run = measurableRun(history, id);
  const fold = shownFold(run.records, asked);
  const thresholds = thresholdsFor(history, run, choiceOf(choice));
  const { top_k } = run.document;
  return {
    run,
    thresholds,
    requests: decideRequests(run.records, {
      thresholds: thresholds?.document ?? null,
      topK: top_k,
      fold,
    }),
    fold,
    warnings: thresholds === null ? undecided(whyUndecided(history, run)) : [],
  };
}

const choiceOf = ({ calibration, minConfidence }: Omit<DecideRunOptions, "run" | "fold">): ThresholdChoice => ({
  calibrationId: calibration,
  threshold: minConfidence,
});

const undecided = (reason: string | null): readonly string[] => [
  "No thresholds apply: only the ranking of the workflows is evaluated.",
  ...(reason === null ? [] : [reason]),
];

export interface FoundErrors {
  readonly run: string;
  readonly thresholds: string | null;
  readonly fold: DecidedRun["fold"];
  /** Number of requests of the fold. */
  readonly requests: number;
  readonly buckets: ReturnType<typeof bucketCounts>;
  readonly pairs: readonly ConfusionPair[];
  readonly groups: readonly ErrorGroup[];
  /** Number of requests that pass the filter. */
  readonly found: number;
  /** The first of them. */
  readonly errors: readonly ErrorRow[];
}

export type ErrorRow = ReturnType<typeof errorRow>;

/**
 * Finds the wrong requests of a run.
 * @throws {SluiceError} RECORD_NOT_FOUND, CALIBRATION_INVALID; USAGE  texts of an imported run
 */
export async function findErrors(
  workbench: WorkbenchContext,
  options: ValuesOf<typeof errorsOptions>,
): Promise<{ readonly found: FoundErrors; readonly warnings: readonly Text[] }> {
  return withHistory(workbench, "read", async ({ history }) => {
    const decided = decidedRun(history, options);
    const { run, thresholds, fold, requests } = decided;
    const filter = filterOf(options);
    const found = requests.filter((request) => passesFilter(request, filter)).sort(comparators[options.sort]);
    const texts = options.withTexts ? textsOfRun(history, run) : null;
    return {
      found: {
        run: run.sha256,
        thresholds: thresholds?.sha256 ?? null,
        fold,
        requests: requests.length,
        buckets: bucketCounts(requests),
        pairs: confusionPairs(requests),
        groups: errorGroups(requests),
        found: found.length,
        errors: found.slice(0, options.limit).map((request) => errorRow(request, texts)),
      },
      warnings: [...decided.warnings, ...testedWarning(requests)],
    };
  });
}

function errorRow({ record, bucket, stage, outcome }: DecidedRequest, texts: ReadonlyMap<string, string> | null) {
  const { top = null, decision = null } = outcome ?? {};
  return {
    id: record.id,
    bucket,
    stage,
    fold: record.fold,
    workflow_id: record.workflow_id,
    ...(top === null
      ? { first_workflow_id: null, tier: null, confidence: null }
      : { first_workflow_id: top.workflow_id, tier: top.risk_tier, confidence: top.confidence }),
    ...(decision === null
      ? { margin: null, decision: null, reason_code: null }
      : { margin: decision.margin, decision: decision.decision, reason_code: decision.reason_code }),
    gold_rank: record.gold_rank,
    slices: record.slices,
    error_code: record.error_code,
    ...(texts === null ? {} : { text: texts.get(record.id) ?? null }),
  };
}

/** Warns about acting on tested requests; empty if none is shown. */
function testedWarning(requests: readonly DecidedRequest[]): readonly Text[] {
  if (!requests.some(({ record: { fold } }) => fold === "tune" || fold === "certify")) return [];
  return [
    say`Requests of TUNE and CERTIFY test the claim. If you delete or edit one in the file, or make it an example, it remains in the test as is. Correct wrong labels with: ${command`sluice dataset relabel ROW=LABEL ROW=LABEL --reason REASON`}.`,
  ];
}

function filterOf({
  bucket,
  stage,
  tier,
  workflow,
  reasonCode,
  pair,
  slice,
}: ValuesOf<typeof errorsOptions>): RequestFilter {
  return givenOnly({
    buckets: bucket.length === 0 ? undefined : bucket,
    stages: stage.length === 0 ? undefined : stage,
    tier,
    workflow,
    reason: reasonCode,
    pair: pair && { right: pair[0] === noWorkflow ? null : pair[0], first: pair[1] },
    slice: slice && { name: slice[0], value: slice[1] },
  });
}

type Comparator = (a: DecidedRequest, b: DecidedRequest) => number;

const isWrongRoute = ({ bucket }: DecidedRequest): boolean =>
  bucket === "routed_wrong" || bucket === "out_of_scope_routed";
const confidenceOf = ({ outcome }: DecidedRequest): number => outcome?.top?.confidence ?? 0;
const byId: Comparator = (a, b) => (a.record.id < b.record.id ? -1 : 1);

/**
 * How well the scores support the label of a request, in [0, 1]: the share of its workflow in the odds of all candidates,
 * or for an out-of-scope label what the first candidate leaves. Low values are often wrong labels.
 */
function labelShare(request: DecidedRequest): number {
  const { workflow_id: label, candidates } = request.record;
  if (label === null) return 1 - confidenceOf(request);
  const logits = candidates.map(({ logits: own }) => matchLogit(own));
  const highest = Math.max(...logits);
  const odds = logits.map((logit) => Math.exp(logit - highest));
  const right = candidates.findIndex(({ workflow_id: id }) => id === label);
  return candidates.length === 0 ? 1 : (odds[right] ?? 0) / odds.reduce((sum, one) => sum + one, 0);
}

const comparators: Readonly<Record<ErrorOrder, Comparator>> = {
  surest: (a, b) =>
    Number(isWrongRoute(b)) - Number(isWrongRoute(a)) || confidenceOf(b) - confidenceOf(a) || byId(a, b),
  doubted: (a, b) => labelShare(a) - labelShare(b) || confidenceOf(b) - confidenceOf(a) || byId(a, b),
  id: byId,
};

export interface ExportedRequests extends DecidedRun {
  readonly columns: readonly string[];
  readonly rows: number;
}

const openMode = 0o644;
const privateMode = 0o600;

/**
 * Writes the scored requests of a run as a table.
 * @throws {SluiceError} USAGE (extension, or texts of candidates or of an imported run), WRITE_FAILED,
 *   RECORD_NOT_FOUND, CALIBRATION_INVALID
 */
export async function exportRequests(
  workbench: WorkbenchContext,
  options: ValuesOf<typeof exportOptions>,
): Promise<ExportedRequests> {
  return withHistory(workbench, "read", async ({ history }) => {
    const write = writerFor(options.file);
    if (options.withTexts && options.rows === "candidates") {
      throw new SluiceError("USAGE", "a table of candidates cannot contain texts", {
        hint: "Export the requests with --with-texts, and join the tables by id.",
      });
    }
    const decided = decidedRun(history, options);
    const { requests, run, thresholds } = decided;
    const table =
      options.rows === "requests"
        ? requestTable(requests, options.withTexts ? textsOfRun(history, run) : null)
        : candidateTable(requests, thresholds?.document ?? null);
    await replaceFile(options.file, write(table), options.withTexts ? privateMode : openMode);
    return { ...decided, columns: table.map(({ name }) => name), rows: table[0]?.values.length ?? 0 };
  });
}

function writerFor(file: string): (typeof tableFormats)[keyof typeof tableFormats] {
  const ending = extname(file).toLowerCase();
  const found = Object.entries(tableFormats).find(([known]) => known === ending);
  if (found !== undefined) return found[1];
  throw new SluiceError("USAGE", `${file}: expected a file ending in ${Object.keys(tableFormats).join(", ")}`, {
    hint: say`For example: ${command`sluice eval export requests.parquet`}`,
  });
}

/** One candidate in decision order. */
export interface ExplainedCandidate extends Omit<CalibratedCandidate, "features"> {
  /** 1-based position in decision order, among all candidates. */
  readonly place: number;
  /** null if the request is out of scope. */
  readonly right: boolean | null;
  /** The verifier's match logit, from which the confidence is computed. */
  readonly match_logit: number;
}

/** Rank of the right workflow, and why it is not first. */
export type RightWorkflow =
  | { readonly kind: "first" }
  | { readonly kind: "behind"; readonly place: number; readonly confidence: number; readonly missing: number }
  | { readonly kind: "not_allowed" }
  /** `rank`: the retriever's rank; null if it is beyond the reported ranks. */
  | { readonly kind: "not_a_candidate"; readonly rank: number | null; readonly top_k: number }
  | { readonly kind: "none" };

/** Everything that decided one request. */
export interface RequestStory extends Pick<ScoredRecord, "error_code" | "early_reason"> {
  readonly run: string;
  readonly thresholds: string | null;
  readonly request: Pick<DecidedRequest, "bucket" | "stage"> &
    Pick<ScoredRecord, "id" | "fold" | "population" | "cluster" | "workflow_id" | "gold_rank" | "slices">;
  /** Absent unless asked for. */
  readonly text?: string | null;
  readonly decision: Decision | null;
  /** Thresholds for the tier of the top candidate; null without thresholds or without a candidate. */
  readonly bar: {
    readonly tier: RiskTier;
    readonly confidence: number | null;
    readonly margin: number | null;
    readonly clarify: number;
    readonly retrieval_floor: number;
  } | null;
  /** Changes that would alter the decision; empty without thresholds. */
  readonly candidates: readonly ExplainedCandidate[];
  readonly features: readonly { readonly name: string; readonly value: number | null }[] | null;
  readonly changes: readonly OutcomeChange[];
  readonly right_workflow: RightWorkflow;
}

/**
 * Explains the decision on one request of a run, from its stored scores. Saves nothing.
 * @throws {SluiceError} RECORD_NOT_FOUND  the run has no such request; CALIBRATION_INVALID
 */
export async function explainRequest(
  workbench: WorkbenchContext,
  { request, withTexts, run: runId, ...choice }: ValuesOf<typeof explainOptions>,
): Promise<RequestStory> {
  return withHistory(workbench, "read", async ({ history }) => {
    const run = measurableRun(history, runId);
    const record = run.records.find(({ id }) => id === request);
    // The message does not repeat the id, which may be a text entered by mistake.
    if (record === undefined) {
      throw new SluiceError("RECORD_NOT_FOUND", `run ${shortId(run.sha256)} has no request with the id given`, {
        hint: say`List ids with ${command`sluice eval errors`}. To explain a text: ${command`sluice route --text TEXT --explain`}`,
      });
    }
    const text = withTexts ? { text: textsOfRun(history, run).get(request) ?? null } : {};
    return { ...storyOf(run, record, thresholdsFor(history, run, choiceOf(choice))), ...text };
  });
}

function storyOf(
  run: MeasurableRun,
  record: ScoredRecord,
  thresholds: ChosenThresholds | null,
): Omit<RequestStory, "text"> {
  const { top_k } = run.document;
  const document = thresholds === null ? null : thresholdsOfRequest(thresholds.document, record.id);
  const { id, fold, population, cluster, workflow_id, gold_rank, slices, error_code, early_reason } = record;
  const decided = decideRequest(record, { thresholds: document, topK: top_k });
  const ranked = applyCalibration(document?.calibrator ?? identityCurve, record.candidates);
  const { bucket, stage } = decided;
  return {
    run: run.sha256,
    thresholds: thresholds?.sha256 ?? null,
    request: { id, fold, population, cluster, workflow_id, gold_rank, slices, bucket, stage },
    error_code,
    early_reason,
    decision: decided.outcome?.decision ?? null,
    candidates: ranked.map((candidate, index) => explainedCandidate(candidate, index + 1, record.workflow_id)),
    features: featuresOf(record),
    bar: document === null ? null : barOf(record, decided, document),
    changes: document === null ? [] : whatWouldChange(record, document),
    right_workflow: rightWorkflowOf(record, ranked, top_k),
  };
}

function featuresOf({ candidates }: ScoredRecord): RequestStory["features"] {
  const features = candidates.find((candidate) => candidate.features !== undefined)?.features;
  return features?.names.map((name, index) => ({ name, value: features.values[index] ?? null })) ?? null;
}

function explainedCandidate(
  candidate: CalibratedCandidate,
  place: number,
  rightWorkflowId: string | null,
): ExplainedCandidate {
  const { features: _, ...rest } = candidate;
  const right = rightWorkflowId === null ? null : candidate.workflow_id === rightWorkflowId;
  return { ...rest, place, right, match_logit: matchLogit(candidate.logits) };
}

/** null also for a follow-up with a threshold of its own, which `changes` names. */
function barOf(
  { followUp }: ScoredRecord,
  { outcome }: DecidedRequest,
  { tiers, clarify_threshold, min_retrieval_score, follow_ups: rules }: EvaluatedThresholds,
): RequestStory["bar"] {
  const tier = outcome?.top?.risk_tier;
  if (tier === undefined || (followUp !== undefined && rules !== undefined)) return null;
  const { confidence, margin } = tiers[tier];
  return { tier, confidence, margin, clarify: clarify_threshold, retrieval_floor: min_retrieval_score };
}

function rightWorkflowOf(
  { workflow_id: workflowId, gold_rank: goldRank }: ScoredRecord,
  ranked: readonly CalibratedCandidate[],
  topK: number,
): RightWorkflow {
  if (workflowId === null) return { kind: "none" };
  const place = ranked.findIndex((candidate) => candidate.workflow_id === workflowId);
  const found = ranked[place];
  const first = ranked.find(({ eligible }) => eligible);
  if (found === undefined) {
    return goldRank !== null && goldRank <= topK
      ? { kind: "not_allowed" }
      : { kind: "not_a_candidate", rank: goldRank, top_k: topK };
  }
  if (!found.eligible) return { kind: "not_allowed" };
  if (found === first) return { kind: "first" };
  const missing = Number(((first?.confidence ?? 0) - found.confidence).toFixed(6));
  return { kind: "behind", place: place + 1, confidence: found.confidence, missing };
}
