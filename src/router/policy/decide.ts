import type { CalibratorCurve } from "../../documents/calibrator.js";
import type { FollowUpClaim } from "../../documents/calibration.js";
import type { RiskTier } from "../../documents/choices.js";
import {
  type CalibratedCandidate,
  type Decision,
  type FollowUp,
  type ReasonCode,
  reasonCodes,
  type ScoredCandidate,
  type ScoredText,
} from "../../documents/decision.js";
import { leadingCandidates, marginOf } from "./apply-calibration.js";
import { answerOfFollowUp, followUpConfidence, ownCandidates } from "./follow-up.js";
import { isCertifiedWorkflow } from "./eligibility.js";

/** When requests that name the workflow of the request before them are routed. */
export interface FollowUpThresholds
  extends Readonly<Record<"repeats" | "changes", Pick<FollowUpClaim, "calibrator" | "threshold">>> {
  readonly tiers: readonly RiskTier[];
}

/** Languages that routes may be in. With thresholds, a text that is in none of them, or too short to tell, is declined. */
export interface LanguageRules {
  readonly covered: readonly string[];
  /** Minimum confidence in each language; null declines. Absent: all share the thresholds of the tiers. */
  readonly thresholds?: readonly LanguageThreshold[] | undefined;
}
interface LanguageThreshold {
  readonly language: string;
  readonly confidence: number | null;
}

/** The part of a calibration that affects decisions. A tier with null thresholds abstains. */
export interface DecisionThresholds {
  readonly calibrator: CalibratorCurve;
  readonly tiers: Readonly<Record<RiskTier, { readonly confidence: number | null; readonly margin: number | null }>>;
  readonly clarify_threshold: number;
  readonly min_retrieval_score: number;
  /** Languages that routes may be in. Absent: all. */
  readonly languages?: LanguageRules | undefined;
  /** Log odds above which a text has several wishes. Absent: no text has. */
  readonly several_wishes?: { readonly threshold: number } | undefined;
  /** Absent: a follow-up is routed only where its text alone leads to the workflow of the request before it. */
  readonly follow_ups?: FollowUpThresholds | undefined;
  /** Workflows with evidence, in ascending order; others are declined. null or absent: every workflow may be routed. */
  readonly certified_workflows?: readonly string[] | null;
}

/** Reason code of a ROUTE, by tier of the chosen workflow. */
export const acceptedReason: Readonly<Record<RiskTier, ReasonCode>> = {
  low: "ACCEPTED_LOW_RISK",
  medium: "ACCEPTED_MEDIUM_RISK",
  high: "ACCEPTED_HIGH_RISK",
  critical: "ACCEPTED_CRITICAL_RISK",
};

export function declineBeforeScoring(reasonCode: ReasonCode): Decision {
  return {
    decision: "LLM_REQUIRED",
    reason_code: reasonCode,
    workflow_id: null,
    confidence: 0,
    margin: null,
    missing_inputs: [],
    risk_tier: null,
  };
}

/**
 * Decides one request. A pure, total function, used in evaluation, calibration and serving. Equality passes every
 * threshold.
 */
export function decide(text: ScoredText, thresholds: DecisionThresholds): Decision {
  const { followUp } = text;
  if (followUp === undefined) return decideAlone(text, thresholds);
  if (followUp.closing > 0) return declineBeforeScoring("NO_REQUEST");
  const { follow_ups: rules } = thresholds;
  return rules === undefined
    ? asFollowUp(decideAlone({ ...text, candidates: ownCandidates(text) }, thresholds), followUp)
    : decideFollowUp(text, thresholds, rules);
}

function decideFollowUp(text: ScoredText, thresholds: DecisionThresholds, rules: FollowUpThresholds): Decision {
  if (!isInCoveredLanguage(text, thresholds)) return declineBeforeScoring("LANGUAGE_NOT_CERTIFIED");
  const answer = answerOfFollowUp(text);
  if (answer === null) return declineBeforeScoring("CONTEXT_NEEDED");
  const { candidate, kind } = answer;
  const { calibrator, threshold } = rules[kind];
  const confidence = calibrator === null ? 0 : followUpConfidence(calibrator, answer);
  const isSure = rules.tiers.includes(candidate.risk_tier) && threshold !== null && reaches(confidence, threshold);
  const certain = isSure ? reasonOfFollowUp(candidate, thresholds) : "CONTEXT_NEEDED";
  const reasonCode =
    reasonCodes[certain] === "LLM_REQUIRED" ? certain : (notOneWish(candidate, text, thresholds) ?? certain);
  const decision = reasonCodes[reasonCode];
  return {
    decision,
    reason_code: reasonCode,
    workflow_id: decision === "LLM_REQUIRED" ? null : candidate.workflow_id,
    confidence,
    margin: null,
    missing_inputs: decision === "CLARIFY" ? candidate.missing_inputs : [],
    risk_tier: candidate.risk_tier,
    ...(reasonCode === "NEGATED_REQUEST" ? { negated_workflow_id: candidate.workflow_id } : {}),
  };
}

function reasonOfFollowUp(
  { eligible, workflow_id: id, input_timeout: timedOut, missing_inputs: missing }: ScoredCandidate,
  { certified_workflows }: DecisionThresholds,
): ReasonCode {
  if (!eligible) return "BETTER_MATCH_NOT_ALLOWED";
  if (!isCertifiedWorkflow(id, certified_workflows)) return "WORKFLOW_NOT_CERTIFIED";
  if (timedOut) return "INPUT_EXTRACTION_TIMEOUT";
  return missing.length > 0 ? "FOLLOW_UP_MISSING_INPUT" : "FOLLOW_UP_ACCEPTED";
}

/** Reasons that say more than that context is needed. */
const keptForFollowUps: readonly ReasonCode[] = [
  "LANGUAGE_NOT_CERTIFIED",
  "NEGATED_REQUEST",
  "MULTI_ACTION_UNSUPPORTED",
];

/**
 * A text that follows another one is usually incomplete, and thresholds were certified on texts that stand alone. So it
 * counts only if it leads, by itself, to the workflow that served the request before it.
 */
function asFollowUp(alone: Decision, { previous }: FollowUp): Decision {
  const { reason_code: reason, workflow_id: workflowId } = alone;
  if (keptForFollowUps.includes(reason)) return alone;
  if (workflowId === null || workflowId !== previous) {
    return { ...alone, decision: "LLM_REQUIRED", reason_code: "CONTEXT_NEEDED", workflow_id: null, missing_inputs: [] };
  }
  return { ...alone, reason_code: alone.decision === "ROUTE" ? "FOLLOW_UP_ACCEPTED" : "FOLLOW_UP_MISSING_INPUT" };
}

function decideAlone(text: ScoredText, thresholds: DecisionThresholds): Decision {
  if (!isInCoveredLanguage(text, thresholds)) return declineBeforeScoring("LANGUAGE_NOT_CERTIFIED");
  const language = languageOfText(text, thresholds)?.language;
  const decided = decideByScores(text, thresholdsOfText(text, thresholds));
  return language === undefined ? decided : { ...decided, language };
}

function decideByScores(text: ScoredText, thresholds: DecisionThresholds): Decision {
  const { candidates } = text;
  const bestRetrieval = candidates.reduce((best, c) => Math.max(best, c.retrieval_score), Number.NEGATIVE_INFINITY);
  const { first, top, second } = leadingCandidates(thresholds.calibrator, candidates);
  if (top === null || !reaches(bestRetrieval, thresholds.min_retrieval_score)) {
    return declineBeforeScoring("NO_WORKFLOW");
  }

  const margin = second === null ? null : marginOf(top.confidence, second.confidence);
  // A workflow that the caller may not use is first. Declining avoids routing the request to a permitted near-twin.
  const ineligibleWins = first?.eligible === false;
  const alone = ineligibleWins ? "BETTER_MATCH_NOT_ALLOWED" : reasonOf(top, margin, thresholds);
  const reasonCode = reasonCodes[alone] === "LLM_REQUIRED" ? alone : (notOneWish(top, text, thresholds) ?? alone);
  const decision = reasonCodes[reasonCode];
  return {
    decision,
    reason_code: reasonCode,
    workflow_id: decision === "LLM_REQUIRED" ? null : top.workflow_id,
    confidence: top.confidence,
    margin,
    missing_inputs: decision === "CLARIFY" ? top.missing_inputs : [],
    risk_tier: top.risk_tier,
    ...(reasonCode === "NEGATED_REQUEST" ? { negated_workflow_id: top.workflow_id } : {}),
  };
}

/** Whether a text may be in a language that routes may be in; without a threshold of each, one that is too short to tell passes. */
export function isInCoveredLanguage(text: TextLanguages, thresholds: Pick<DecisionThresholds, "languages">): boolean {
  const { languages: possible } = text;
  const { languages } = thresholds;
  if (languages?.thresholds !== undefined) return (languageOfText(text, thresholds)?.confidence ?? null) !== null;
  return possible === undefined || languages === undefined || possible.some((one) => languages.covered.includes(one));
}

type TextLanguages = Pick<ScoredText, "languages">;

/** The threshold of the likeliest language of a text that has one; undefined without thresholds by language. */
export function languageOfText(
  { languages: possible = [] }: TextLanguages,
  { languages }: Pick<DecisionThresholds, "languages">,
): LanguageThreshold | undefined {
  const { thresholds = [] } = languages ?? {};
  return possible.flatMap((one) => thresholds.find(({ language }) => language === one) ?? [])[0];
}

/** The thresholds of the tiers for a text, at least that of its language. */
export function thresholdsOfText<T extends Pick<DecisionThresholds, "languages" | "tiers">>(
  text: TextLanguages,
  thresholds: T,
): T {
  const least = languageOfText(text, thresholds)?.confidence ?? null;
  if (least === null) return thresholds;
  const { low, medium, high, critical } = thresholds.tiers;
  const raised = <R extends { readonly confidence: number | null }>(tier: R): R =>
    tier.confidence === null ? tier : { ...tier, confidence: Math.max(tier.confidence, least) };
  const tiers = { low: raised(low), medium: raised(medium), high: raised(high), critical: raised(critical) };
  return { ...thresholds, tiers };
}

/** Equality passes, and NaN never does. */
function reaches(value: number, threshold: number): boolean {
  return value >= threshold;
}

/** Why a text that would be routed to a workflow is declined: it says that this is not wanted, or more. */
function notOneWish(
  { workflow_id: workflowId }: ScoredCandidate,
  { negated, several = Number.NEGATIVE_INFINITY }: ScoredText,
  { several_wishes: limit }: DecisionThresholds,
): ReasonCode | null {
  if (negated === workflowId) return "NEGATED_REQUEST";
  return limit !== undefined && several > limit.threshold ? "MULTI_ACTION_UNSUPPORTED" : null;
}

function reasonOf(top: CalibratedCandidate, margin: number | null, thresholds: DecisionThresholds): ReasonCode {
  if (!isCertifiedWorkflow(top.workflow_id, thresholds.certified_workflows)) return "WORKFLOW_NOT_CERTIFIED";
  if (top.input_timeout) return "INPUT_EXTRACTION_TIMEOUT";
  const tier = thresholds.tiers[top.risk_tier];
  const marginHolds = margin === null || tier.margin === null || reaches(margin, tier.margin);
  if (top.missing_inputs.length > 0) {
    const mayAsk = marginHolds && reaches(top.confidence, thresholds.clarify_threshold);
    return mayAsk ? "MISSING_REQUIRED_INPUT" : "LOW_CONFIDENCE_MISSING_INPUT";
  }
  if (tier.confidence === null || !reaches(top.confidence, tier.confidence)) return "BELOW_RISK_THRESHOLD";
  return marginHolds ? acceptedReason[top.risk_tier] : "AMBIGUOUS_CANDIDATES";
}
