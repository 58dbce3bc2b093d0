import { type DecidedRequest, decideRequest } from "../../eval/requests/decided-request.js";
import type { EvaluatedThresholds } from "../../eval/metrics/evaluated-thresholds.js";
import type { RiskTier } from "../../src/documents/choices.js";
import type { CalibratedCandidate, Decision, VerifierEvidence } from "../../src/documents/decision.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { SluiceError } from "../../src/base/error.js";
import { applyCalibration, matchLogit } from "../../src/router/policy/apply-calibration.js";
import { type OutcomeChange, whatWouldChange } from "../../src/router/policy/what-would-change.js";
import type { History } from "../../store/history/open.js";
import { readCatalog, readModel, readPolicy, readRun } from "../../store/records/read-records.js";
import { shortId } from "../../src/base/text.js";
import type { Session } from "../../store/records/session.js";
import {
  type ChosenThresholds,
  type MeasurableRun,
  measurableRun,
  type ThresholdChoice,
  thresholdsFor,
} from "./measurable-run.js";
import { textsOfRun } from "./request-texts.js";
import { scoreRows } from "../score/score-rows.js";

/** One candidate in decision order. */
export interface ExplainedCandidate extends Omit<CalibratedCandidate, "evidence"> {
  /** 1-based place in decision order, over all candidates. */
  readonly place: number;
  /** null where the right workflow is not known. */
  readonly right: boolean | null;
  /** Evidence of the verifier that the confidence is computed from. */
  readonly match_logit: number;
}

/** Rank of the right workflow, and why it is not first. */
export type RightWorkflow =
  | { readonly kind: "first" }
  | { readonly kind: "behind"; readonly place: number; readonly confidence: number; readonly missing: number }
  | { readonly kind: "not_allowed" }
  /** `rank`: the retriever's rank, null beyond the ranks that it reports. */
  | { readonly kind: "not_a_candidate"; readonly rank: number | null; readonly top_k: number }
  | { readonly kind: "none" };

/** Everything that decided one request. */
export interface RequestStory extends DecidedRequest {
  readonly run: string;
  readonly thresholds: ChosenThresholds | null;
  readonly decision: Decision | null;
  readonly candidates: readonly ExplainedCandidate[];
  readonly evidence: VerifierEvidence | null;
  /** Thresholds of the tier of the first workflow; null where none decide or nothing came first. */
  readonly bar: {
    readonly tier: RiskTier;
    readonly confidence: number | null;
    readonly margin: number | null;
    readonly clarify: number;
    readonly retrieval_floor: number;
  } | null;
  /** Conditions that the decision depends on; empty without thresholds. */
  readonly changes: readonly OutcomeChange[];
  /** null for a text without a label. */
  readonly rightWorkflow: RightWorkflow | null;
  readonly text: string | null;
}

export interface ExplainOptions {
  readonly runId?: string | undefined;
  readonly thresholds: ThresholdChoice;
}

/** Verifier's own probability, where no thresholds decide. */
const uncalibrated = { slope: 1, intercept: 0 } as const;

/**
 * The story of a request of a run, from its stored scores.
 * @throws {SluiceError} RECORD_NOT_FOUND  the run has no such request
 */
export function explainRequest(
  history: History,
  { requestId, withTexts, ...options }: ExplainOptions & { readonly requestId: string; readonly withTexts: boolean },
): RequestStory {
  const run = measurableRun(history, options.runId);
  const record = run.records.find(({ id }) => id === requestId);
  // The id is not repeated: somebody may have typed a text instead.
  if (record === undefined) {
    throw new SluiceError("RECORD_NOT_FOUND", `run ${shortId(run.sha256)} has no request of this id`, {
      hint: "List ids with sluice eval errors, or explain a text with --text.",
    });
  }
  const text = withTexts ? (textsOfRun(history, run).get(requestId) ?? null) : null;
  return { ...storyOf(run, record, thresholdsFor(history, run, options.thresholds)), text };
}

/**
 * The story of a text that is in no dataset, scored now with the models, catalog and policy of a run. Nothing is
 * saved.
 * @throws {SluiceError} USAGE  the run was imported; those of loading
 */
export async function explainText(
  { history, context }: Session,
  { text, ...options }: ExplainOptions & { readonly text: string },
): Promise<RequestStory> {
  const { sha256, document } = readRun(history, options.runId);
  const { records } = await scoreRows({
    catalog: readCatalog(history, document.catalog_sha256).document,
    policy: readPolicy(history, document.policy_sha256).document,
    models: {
      retrieverFiles: readModel(history, document.retriever_sha256).files,
      verifierFiles: readModel(history, document.verifier_sha256).files,
    },
    rows: [{ id: textId, text, workflow_id: null }],
    foldOf: new Map([[`row:${textId}`, "eval"]]),
    context,
    progress: context.progress,
    workers: 1,
  });
  const [record] = records;
  if (record === undefined) throw new SluiceError("INTERNAL", "a scored text has no record");
  const run = { sha256, document, records };
  return { ...storyOf(run, record, thresholdsFor(history, run, options.thresholds)), rightWorkflow: null, text: null };
}

/** Id of a text that is in no dataset. */
export const textId = "text";

function storyOf(
  run: MeasurableRun,
  record: ScoredRecord,
  thresholds: ChosenThresholds | null,
): Omit<RequestStory, "text"> {
  const { top_k } = run.document;
  const document = thresholds?.document ?? null;
  const decided = decideRequest(record, { thresholds: document, topK: top_k });
  const ranked = applyCalibration(document?.calibrator ?? uncalibrated, record.candidates);
  return {
    ...decided,
    run: run.sha256,
    thresholds,
    decision: decided.outcome?.decision ?? null,
    candidates: ranked.map((candidate, index) => explainedCandidate(candidate, index + 1, record.workflow_id)),
    evidence: record.candidates.find(({ evidence }) => evidence !== undefined)?.evidence ?? null,
    bar: document === null ? null : barOf(decided, document),
    changes: document === null ? [] : whatWouldChange(record.candidates, document),
    rightWorkflow: rightWorkflowOf(record, ranked, top_k),
  };
}

function explainedCandidate(
  candidate: CalibratedCandidate,
  place: number,
  rightWorkflowId: string | null,
): ExplainedCandidate {
  const { evidence: _, ...rest } = candidate;
  const right = rightWorkflowId === null ? null : candidate.workflow_id === rightWorkflowId;
  return { ...rest, place, right, match_logit: matchLogit(candidate.logits) };
}

function barOf(
  { outcome }: DecidedRequest,
  { tiers, clarify_threshold, min_retrieval_score }: EvaluatedThresholds,
): RequestStory["bar"] {
  const tier = outcome?.top?.risk_tier;
  if (tier === undefined) return null;
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
