import { type RiskTier, attributionBuckets } from "../../src/documents/choices.js";
import type { Decision } from "../../src/documents/decision.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { SluiceError } from "../../src/base/error.js";
import { matchLogit } from "../../src/router/policy/apply-calibration.js";
import { languageOfText } from "../../src/router/policy/decide.js";
import { readsRequest } from "../../src/router/policy/calibrator-curve.js";
import { asksForMissingInput, attribute, withPerfectVerifier } from "../attribution.js";
import {
  ColumnsBuilder,
  fact,
  type OutcomeColumns,
  type OutcomeRow,
  outcomeOf,
  type RecordOutcome,
} from "./outcome-columns.js";
import { clusterOfRecord, type EvaluatedThresholds } from "./evaluated-thresholds.js";

export interface ColumnsOptions {
  /** null: there are no decisions, and the confidence is the verifier's own probability. */
  readonly calibration: EvaluatedThresholds | null;
  /** Number of candidates that the verifier saw. */
  readonly topK: number;
  /** Called periodically with the number of records read. */
  readonly onProgress?: (records: number) => void;
}

const progressEvery = 20_000;
const retrievalMiss = attributionBuckets.indexOf("retrieval_miss");

/**
 * Outcomes of scored records under a calibration; records with an `error_code` are left out.
 * @throws {SluiceError} DOCUMENT_INVALID  a score is not a finite number, or two records have the same id
 */
export function columnsOfRecords(records: Iterable<ScoredRecord>, options: ColumnsOptions): OutcomeColumns {
  const builder = new ColumnsBuilder();
  const tiers = new Map<string, RiskTier>();
  const seen = new Set<string>();
  const lost: number[] = [];
  let read = 0;
  for (const record of records) {
    read += 1;
    if (read % progressEvery === 0) options.onProgress?.(read);
    if (record.error_code !== null) continue;
    refuseUnusable(record, seen);
    for (const { workflow_id: workflowId, risk_tier: riskTier } of record.candidates) tiers.set(workflowId, riskTier);
    const row = rowOf(record, options);
    if (row.bucket === retrievalMiss) lost.push(seen.size - 1);
    builder.add(row);
  }
  const columns = builder.finish();
  if (options.calibration !== null) retrievePerfectly(columns, lost, (id) => enabled(tiers.get(id), options));
  return columns;
}

function refuseUnusable({ id, candidates }: ScoredRecord, seen: Set<string>): void {
  for (const { retrieval_score: retrievalScore, logits } of candidates) {
    if (Number.isFinite(retrievalScore + logits.mismatch + logits.needs_input + logits.executable)) continue;
    throw new SluiceError("DOCUMENT_INVALID", `record ${id}: found a score that is not a finite number`);
  }
  if (seen.has(id)) throw new SluiceError("DOCUMENT_INVALID", `record ${id}: found two with this id`);
  seen.add(id);
}

function enabled(tier: RiskTier | undefined, { calibration }: ColumnsOptions): boolean {
  return tier !== undefined && (calibration?.tiers[tier].confidence ?? null) !== null;
}

const tierOf = ({ top }: RecordOutcome): RiskTier | null => (top === null ? null : top.risk_tier);

/** Fields are listed one by one because object spread would dominate the cost per record. */
function rowOf(record: ScoredRecord, { calibration, topK }: ColumnsOptions): OutcomeRow {
  const outcome = outcomeOf(record, calibration);
  const { decision, top } = outcome;
  const decided = decision === null || calibration === null ? null : { decision, calibration };
  const bucket = decided === null ? null : attribute(outcome, decided.decision, decided.calibration, topK);
  return {
    record,
    cluster: clusterOfRecord(calibration, record),
    facts: factsOf(outcome) | (decided === null ? 0 : decidedFacts(outcome, decided.decision, decided.calibration)),
    confidence: top === null ? 0 : top.confidence,
    separation: separationOf(outcome, calibration),
    eligibleRank: eligibleRankOf(record),
    bucket: bucket === null ? 0 : attributionBuckets.indexOf(bucket),
    inputsAsked: decision === null ? 0 : inputsAsked(record, decision),
    routedTo: routedTo(decision),
    tier: tierOf(outcome),
    language: calibration === null ? null : (languageOfText(record, calibration)?.language ?? null),
    reasonCode: decision === null ? null : decision.reason_code,
  };
}

/**
 * The match logit of the top candidate, because rounded probabilities tie. If the calibrator reads features of the
 * whole request, which the logit lacks, the confidence is used instead.
 */
function separationOf({ top }: RecordOutcome, thresholds: EvaluatedThresholds | null): number {
  if (top === null) return 0;
  return thresholds !== null && readsRequest(thresholds.calibrator) ? top.confidence : matchLogit(top.logits);
}

function routedTo(decision: Decision | null): string | null {
  return decision?.decision === "ROUTE" ? decision.workflow_id : null;
}

function factsOf({ inScope, top, topIsRight, record }: RecordOutcome): number {
  const scope = inScope ? fact.inScope : fact.outOfScope;
  const candidate = (top === null ? 0 : fact.hasTop) | (topIsRight ? fact.topRight : 0);
  return scope | candidate | ((record.expected_missing?.length ?? 0) > 0 ? fact.inputMissing : 0);
}

/** Facts that depend on thresholds, including the three counterfactuals. */
function decidedFacts(outcome: RecordOutcome, decision: Decision, calibration: EvaluatedThresholds): number {
  const { record, top, topIsRight } = outcome;
  const isRight = decision.workflow_id === record.workflow_id;
  const routed = routedFacts(decision, record, { routed: fact.routed, wrong: fact.routedWrong });
  const asked = decision.decision === "CLARIFY" ? fact.asked : 0;
  const askedRight = asked > 0 && isRight && asksForMissingInput(record, decision) ? fact.askedRight : 0;
  const retriever = routedFacts(decision, record, { routed: fact.retrieverRouted, wrong: fact.retrieverWrong });
  const verified = withPerfectVerifier(record, decision, calibration);
  const verifier = routedFacts(verified, record, { routed: fact.verifierRouted, wrong: fact.verifierWrong });
  const completeAndRight = topIsRight && top !== null && top.missing_inputs.length === 0 && !top.input_timeout;
  const stopped = decision.reason_code === "BETTER_MATCH_NOT_ALLOWED" || record.early_reason !== null;
  const threshold = completeAndRight && !stopped ? fact.thresholdRouted : 0;
  return routed | asked | askedRight | retriever | verifier | threshold;
}

function routedFacts(
  decision: Decision,
  record: ScoredRecord,
  bits: { readonly routed: number; readonly wrong: number },
): number {
  if (decision.decision !== "ROUTE") return 0;
  return decision.workflow_id === record.workflow_id ? bits.routed : bits.routed | bits.wrong;
}

/** 1-based rank of the gold workflow among the eligible candidates in retrieval order; 0 if it is not one of them. */
function eligibleRankOf({ candidates, workflow_id: workflowId }: ScoredRecord): number {
  let rank = 0;
  for (const candidate of candidates) {
    if (!candidate.eligible) continue;
    rank += 1;
    if (candidate.workflow_id === workflowId) return rank;
  }
  return 0;
}

function inputsAsked(record: ScoredRecord, decision: Decision): number {
  if (decision.decision !== "CLARIFY" || decision.workflow_id !== record.workflow_id) return 0;
  return decision.missing_inputs.filter((name) => record.expected_missing?.includes(name) === true).length;
}

/**
 * Upper bound for a perfect retriever: a lost request counts as routed right if the tier of its workflow routes at all.
 * The tier is read from any request in which the workflow was a candidate; if there is none, the request stays lost.
 */
function retrievePerfectly(columns: OutcomeColumns, lost: readonly number[], routes: (id: string) => boolean): void {
  const { names, value } = columns.workflow;
  for (const row of lost) {
    const workflow = names[value[row] ?? -1];
    if (workflow === undefined || !routes(workflow)) continue;
    const facts = columns.facts[row];
    columns.facts[row] = (facts & ~fact.retrieverWrong) | fact.retrieverRouted;
  }
}
