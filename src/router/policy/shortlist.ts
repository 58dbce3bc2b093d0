import type { CalibratorCurve } from "../../documents/calibrator.js";
import type { CalibratedCandidate, Decision, FollowUp, ReasonCode, ScoredText } from "../../documents/decision.js";
import type { Shortlist, ShortlistReason } from "../../documents/shortlist.js";
import { applyCalibration, matchLogit } from "./apply-calibration.js";
import { isInCoveredLanguage, type LanguageRules } from "./decide.js";
import { isCertifiedWorkflow } from "./eligibility.js";

/** Relative odds have 6 decimals. Thresholds are certified on the rounded number, so the rounded number is compared. */
const scale = 1e6;

/** Rules that apply before any threshold. */
export interface ShortlistGates {
  readonly calibrator: CalibratorCurve;
  readonly min_retrieval_score: number;
  /**
   * Workflows with evidence, in ascending order; others are not listed. null or absent: every workflow may be listed.
   */
  readonly certified_workflows?: readonly string[] | null;
  /** Languages that listed requests may be in. Absent: all. */
  readonly languages?: LanguageRules | undefined;
}

/** The part of a calibration that determines shortlists. */
export interface ShortlistRules extends ShortlistGates {
  /** Without it, or with null thresholds, nothing is certified and nothing is listed. */
  readonly shortlist?: {
    /** Minimum confidence of the first candidate, in [0, 1]; below it the shortlist is empty. */
    readonly entry: number | null;
    /** Minimum odds of a listed workflow relative to those of the first, in [0, 1]. */
    readonly share: number | null;
    /** Maximum number of workflows in a shortlist. */
    readonly size: number;
  };
}

/**
 * A candidate with its odds relative to the first one, in [0, 1], 6 decimals; above 1 for a better ineligible
 * competitor.
 */
export interface RelativeCandidate {
  readonly candidate: CalibratedCandidate;
  readonly relativeOdds: number;
}

/** Candidates in decision order, before thresholds, or why none is listed regardless of the thresholds. */
export type RelativeCandidates =
  | { readonly refused: ShortlistReason }
  | {
      readonly refused: null;
      /** Confidence of the first candidate, which is the number that routing compares. */
      readonly confidence: number;
      /** Eligible workflows with evidence, best first. */
      readonly listable: readonly RelativeCandidate[];
      /** Candidates that may not be listed, because the caller may not use them or there is no evidence about them. */
      readonly withheld: readonly RelativeCandidate[];
    };

/**
 * The candidates of one request with their odds relative to the first: exp(z - z of the first), where z is the match
 * logit. Both calibration and serving start here.
 */
export function relativeCandidates(text: ScoredText, gates: ShortlistGates): RelativeCandidates {
  if (!isInCoveredLanguage(text, gates)) return { refused: "LANGUAGE_NOT_CERTIFIED" };
  const ordered = applyCalibration(gates.calibrator, text.candidates);
  const best = ordered.reduce(
    (most, { retrieval_score: retrievalScore }) => Math.max(most, retrievalScore),
    Number.NEGATIVE_INFINITY,
  );
  const [leader] = ordered;
  const first = ordered.find(({ eligible }) => eligible);
  if (leader === undefined || first === undefined || !(best >= gates.min_retrieval_score)) {
    return { refused: "NO_WORKFLOW" };
  }
  // A workflow that the caller may not use is first; a permitted near-twin must not be offered instead.
  if (!leader.eligible) return { refused: "BETTER_MATCH_NOT_ALLOWED" };
  const isKnown = ({ workflow_id: workflowId }: CalibratedCandidate) =>
    isCertifiedWorkflow(workflowId, gates.certified_workflows);
  if (!isKnown(first)) return { refused: "WORKFLOW_NOT_CERTIFIED" };
  const zero = matchLogit(first.logits);
  const relative = ordered.map((candidate) => ({
    candidate,
    relativeOdds: Math.round(Math.exp(matchLogit(candidate.logits) - zero) * scale) / scale,
  }));
  const mayList = ({ candidate }: RelativeCandidate): boolean => candidate.eligible && isKnown(candidate);
  return {
    refused: null,
    confidence: first.confidence,
    listable: relative.filter(mayList),
    withheld: relative.filter((one) => !mayList(one)),
  };
}

/** A shortlist without a workflow. */
export const emptyShortlist = (reasonCode: ShortlistReason): Shortlist => ({
  workflows: [],
  complete: false,
  reason_code: reasonCode,
});

/**
 * Computes the shortlist of one request. A pure, total function, used in calibration and serving. Equality passes every
 * threshold. The first workflow has the confidence used in routing; the others have that confidence times their
 * relative odds.
 */
export function shortlist(text: ScoredText, rules: ShortlistRules): Shortlist {
  const { entry = null, share = null, size = 0 } = rules.shortlist ?? {};
  if (entry === null || share === null) return emptyShortlist("SHORTLIST_NOT_CERTIFIED");
  const found = relativeCandidates(text, rules);
  if (found.refused !== null) return emptyShortlist(found.refused);
  if (!(found.confidence >= entry)) return emptyShortlist("NO_WORKFLOW");
  const reaches = ({ relativeOdds }: RelativeCandidate): boolean => relativeOdds >= share;
  const reaching = found.listable.filter(reaches);
  const listed = reaching.slice(0, size);
  if (listed.some(({ candidate }) => candidate.input_timeout)) return emptyShortlist("INPUT_EXTRACTION_TIMEOUT");
  return {
    workflows: listed.map(({ candidate, relativeOdds }) => ({
      workflow_id: candidate.workflow_id,
      confidence: Math.round(found.confidence * relativeOdds * scale) / scale,
      missing_inputs: candidate.missing_inputs,
    })),
    complete: listed.length === reaching.length && !found.withheld.some(reaches),
    reason_code: "SHORTLISTED",
  };
}

/**
 * The shortlist of a request that follows another one, as in `decide()`: the list of its text alone, if that begins with
 * the workflow of the request before it.
 */
export function followUpShortlist(alone: Shortlist, { previous, closing }: FollowUp): Shortlist {
  if (closing > 0) return emptyShortlist("NO_REQUEST");
  const [first] = alone.workflows;
  if (alone.reason_code === "SHORTLIST_NOT_CERTIFIED" || first?.workflow_id === previous) return alone;
  return emptyShortlist("CONTEXT_NEEDED");
}

/** Reasons for declining that depend only on thresholds. */
const stoppedByThresholds: readonly ReasonCode[] = ["BELOW_RISK_THRESHOLD", "AMBIGUOUS_CANDIDATES"];

/**
 * Applies a policy that asks back: `ASK_BETWEEN` if only thresholds stopped the route, and a complete shortlist has two
 * or three workflows. It chooses none of them, so no claim about routes depends on it.
 */
export function askBetween(decision: Decision, { workflows, complete }: Shortlist): Decision {
  const isFew = workflows.length === 2 || workflows.length === 3;
  if (!complete || !isFew || !stoppedByThresholds.includes(decision.reason_code)) return decision;
  return { ...decision, decision: "CLARIFY", reason_code: "ASK_BETWEEN" };
}
