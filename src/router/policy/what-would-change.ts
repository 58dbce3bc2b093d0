import type { RiskTier } from "../../documents/choices.js";
import type { CalibratedCandidate, ReasonCode, ScoredCandidate, ScoredText } from "../../documents/decision.js";
import { applyCalibration, marginOf } from "./apply-calibration.js";
import { decide, type DecisionThresholds, type FollowUpThresholds, thresholdsOfText } from "./decide.js";
import { answerOfFollowUp, type FollowUpAnswer, followUpConfidence, ownCandidates } from "./follow-up.js";

/** A number or fact that the outcome depends on. `otherwise` is the reason that `decide()` would give without it. */
export type OutcomeChange =
  | { readonly kind: "retrieval"; readonly value: number; readonly threshold: number }
  | { readonly kind: "better_match_not_allowed"; readonly otherwise: ReasonCode }
  | { readonly kind: "workflow_not_certified" }
  | { readonly kind: "inputs_in_time"; readonly otherwise: ReasonCode }
  | { readonly kind: "inputs"; readonly names: readonly string[]; readonly otherwise: ReasonCode }
  | { readonly kind: "tier_abstains"; readonly tier: RiskTier }
  | {
      readonly kind: "confidence";
      readonly value: number;
      readonly threshold: number;
      /** The tier whose threshold it is; null for the threshold for asking back. */
      readonly tier: RiskTier | null;
    }
  | { readonly kind: "margin"; readonly value: number; readonly threshold: number }
  | {
      readonly kind: "follow_up";
      readonly answers: FollowUpAnswer["kind"];
      readonly value: number;
      /** null: no such answer is routed. */
      readonly threshold: number | null;
    };

/** Conditions behind the decision about a request, in the order of the rules. Names no workflow. */
export function whatWouldChange(scored: ScoredText, thresholds: DecisionThresholds): readonly OutcomeChange[] {
  if (scored.followUp === undefined) return changesAlone(scored, thresholds);
  if (thresholds.follow_ups !== undefined) return changesOfFollowUp(scored, thresholds, thresholds.follow_ups);
  const followUp = { ...scored.followUp, joined: false };
  return changesAlone({ ...scored, candidates: ownCandidates(scored), followUp }, thresholds);
}

function changesOfFollowUp(
  scored: ScoredText,
  thresholds: DecisionThresholds,
  rules: FollowUpThresholds,
): readonly OutcomeChange[] {
  const answer = answerOfFollowUp(scored);
  const { reason_code: reasonCode } = decide(scored, thresholds);
  if (answer === null || reasonCode === "NO_REQUEST" || reasonCode === "LANGUAGE_NOT_CERTIFIED") return [];
  if (reasonCode === "WORKFLOW_NOT_CERTIFIED") return [{ kind: "workflow_not_certified" }];
  const { candidate, kind: answers } = answer;
  const otherwise = (candidates: readonly ScoredCandidate[]): ReasonCode =>
    decide({ ...scored, candidates }, thresholds).reason_code;
  if (reasonCode === "BETTER_MATCH_NOT_ALLOWED") {
    return [{ kind: "better_match_not_allowed", otherwise: otherwise(scored.candidates.filter((c) => c.eligible)) }];
  }
  const { calibrator, threshold } = rules[answers];
  const value = calibrator === null ? 0 : followUpConfidence(calibrator, answer);
  const tierAbstains = !rules.tiers.includes(candidate.risk_tier);
  const without = (change: Partial<ScoredCandidate>): ReasonCode =>
    otherwise(scored.candidates.map((one) => (one === candidate ? { ...one, ...change } : one)));
  return [
    ...gapsOf(candidate, without),
    tierAbstains
      ? { kind: "tier_abstains", tier: candidate.risk_tier }
      : { kind: "follow_up", answers, value, threshold },
  ];
}

/** What the first candidate lacks for its workflow to start. */
function gapsOf(
  { input_timeout: timedOut, missing_inputs: names }: ScoredCandidate,
  without: (change: Partial<ScoredCandidate>) => ReasonCode,
): readonly OutcomeChange[] {
  const otherwise = without({ input_timeout: false, missing_inputs: [] });
  if (timedOut) return [{ kind: "inputs_in_time", otherwise }];
  return names.length === 0 ? [] : [{ kind: "inputs", names, otherwise }];
}

function changesAlone(scored: ScoredText, thresholds: DecisionThresholds): readonly OutcomeChange[] {
  const { candidates } = scored;
  const eligible = applyCalibration(thresholds.calibrator, candidates).filter((candidate) => candidate.eligible);
  const [top, second] = eligible;
  if (top === undefined) return [];
  const { reason_code: reasonCode } = decide(scored, thresholds);
  const otherwise = (changed: readonly ScoredCandidate[]): ReasonCode =>
    decide({ ...scored, candidates: changed }, thresholds).reason_code;
  const withTop = (change: Partial<ScoredCandidate>): ReasonCode =>
    otherwise(candidates.map((one) => (one.workflow_id === top.workflow_id ? { ...one, ...change } : one)));

  if (reasonCode === "LANGUAGE_NOT_CERTIFIED") return [];
  if (reasonCode === "NO_WORKFLOW") {
    const value = Math.max(...candidates.map((candidate) => candidate.retrieval_score));
    return [{ kind: "retrieval", value, threshold: thresholds.min_retrieval_score }];
  }
  if (reasonCode === "BETTER_MATCH_NOT_ALLOWED") {
    return [{ kind: "better_match_not_allowed", otherwise: otherwise(eligible) }];
  }
  if (reasonCode === "WORKFLOW_NOT_CERTIFIED") return [{ kind: "workflow_not_certified" }];
  const gaps = gapsOf(top, withTop);
  return top.input_timeout ? gaps : [...gaps, ...comparisons(top, second, thresholdsOfText(scored, thresholds))];
}

/** Confidence and margin of the first candidate, compared with their thresholds. */
function comparisons(
  top: CalibratedCandidate,
  second: CalibratedCandidate | undefined,
  thresholds: DecisionThresholds,
): readonly OutcomeChange[] {
  const tier = thresholds.tiers[top.risk_tier];
  const asksBack = top.missing_inputs.length > 0;
  const threshold = asksBack ? thresholds.clarify_threshold : tier.confidence;
  if (threshold === null) return [{ kind: "tier_abstains", tier: top.risk_tier }];
  const confidence: OutcomeChange = {
    kind: "confidence",
    value: top.confidence,
    threshold,
    tier: asksBack ? null : top.risk_tier,
  };
  if (second === undefined || tier.margin === null) return [confidence];
  return [confidence, { kind: "margin", value: marginOf(top.confidence, second.confidence), threshold: tier.margin }];
}
