import type { Calibration, Claim } from "../src/documents/calibration.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { formatCount, noData } from "../src/documents/number-text.js";
import type { Judgement, Verdict } from "./blocks.js";
import { measureLabels } from "./measure-labels.js";
import { type HeldOutVerdict, judgeOnHeldOut, type MeasuredClaims, tooFewText } from "./held-out-verdict.js";

export interface ClaimVerdict extends ClaimJudgement {
  readonly scope: Claim["scope"];
}

export interface OverallVerdict {
  readonly verdict: Verdict;
  readonly sentence: string;
  /** Number of claims by verdict; empty without claims. */
  readonly detail: string;
}

/** Statements about a release that are shared by the page, the command line and the signed summary. */
export interface ReleaseVerdict extends OverallVerdict {
  readonly claims: readonly ClaimVerdict[];
}

/** The fold that no model, calibration or threshold was fitted on. */
export const unseenFold = "eval";

/** The verdict on a certified claim: only a contradiction by held-out requests fails it. */
const verdictOf: Readonly<Record<HeldOutVerdict, Verdict>> = { agree: "pass", too_few: "pass", contradict: "fail" };

export interface ClaimJudgement extends Judgement {
  readonly heldOut: HeldOutVerdict | null;
}

/** Judges a claim. @param claims  number of certified claims of its calibration */
export function judgeClaim(claim: Claim, evaluation: MeasuredClaims, claims: number): ClaimJudgement {
  if (!claim.certified) return { verdict: "abstains", reason: `Not certified: ${claim.basis}`, heldOut: null };
  const { heldOut, sentence } = judgeOnHeldOut(claim, evaluation, claims);
  return { verdict: verdictOf[heldOut], reason: sentence, heldOut };
}

/**
 * Why the claim counts differently from an evaluation of the requests that it tested; empty if both count the same, or if the
 * evaluated requests are held out.
 */
export function claimCountNote(
  { claims, cross_fit: crossFit }: Pick<Calibration, "claims" | "cross_fit">,
  { fold, selective_risk: { k, n } }: Pick<Evaluation, "fold" | "selective_risk">,
): string {
  const claim = claims.find(({ scope, certified }) => certified && scope === "overall");
  if (fold === unseenFold || crossFit === null || claim === undefined) return "";
  if (claim.errors === k && claim.routed === n) return "";
  return (
    `The claim counts ${formatCount(claim.errors)} wrong of ${formatCount(claim.routed)} routed; as decided now, it is ` +
    `${formatCount(k)} of ${formatCount(n)}. Requests that an earlier calibration routed wrongly count as wrong, whatever happens to them now.`
  );
}

/** Whether each request is decided by a calibrator that was fitted without it. */
export const isAsTested = ({ fold }: Pick<Evaluation, "fold">, calibration: Calibration | null): boolean =>
  calibration !== null && calibration.cross_fit !== null && (fold === "tune" || fold === "certify");

/** Name of the selective risk: the claim's count and that of the present decisions, if they differ, have two names. */
export const selectiveRiskLabel = (claimNote: string): string =>
  claimNote === "" ? measureLabels.selective_risk : `${measureLabels.selective_risk} as decided now`;

export const certifiedClaims = ({ claims }: Pick<Calibration, "claims">): number =>
  claims.filter(({ certified }) => certified).length;

/** Counts verdicts, e.g. `1 NOT SHOWN, 2 pass, 1 abstains`. */
function countVerdicts(claims: readonly Pick<Judgement, "verdict">[]): string {
  const order: readonly Verdict[] = ["fail", "NOT SHOWN", "pass", "abstains"];
  return order
    .map((verdict) => ({ verdict, count: claims.filter((claim) => claim.verdict === verdict).length }))
    .filter(({ count }) => count > 0)
    .map(({ verdict, count }) => `${count} ${verdict}`)
    .join(", ");
}

type JudgedClaim = Pick<Judgement, "verdict"> & { readonly heldOut?: HeldOutVerdict | null };

export function overallVerdict(evaluation: Evaluation, claims: readonly JudgedClaim[]): OverallVerdict {
  const detail = claims.length < 2 ? "" : `Claims: ${countVerdicts(claims)}.`;
  const has = (verdict: Verdict) => claims.some((claim) => claim.verdict === verdict);
  if (evaluation.calibration_sha256 === null) {
    return { verdict: "NOT SHOWN", sentence: "Nothing is promised: no calibration was used.", detail };
  }
  if (has("fail")) return { verdict: "fail", sentence: "Held-out requests contradict at least one claim.", detail };
  if (has("NOT SHOWN") || claims.length === 0) {
    if (evaluation.requests === 0) {
      return { verdict: "NOT SHOWN", sentence: `There is ${noData}: the evaluation contains no requests.`, detail };
    }
    return {
      verdict: "NOT SHOWN",
      sentence: "No claim is contradicted, but not every claim is shown to be met.",
      detail,
    };
  }
  if (has("pass")) return { verdict: "pass", sentence: certifiedSentence(evaluation, claims), detail };
  return { verdict: "abstains", sentence: "Nothing is certified: every text is declined.", detail };
}

function certifiedSentence({ fold, requests }: Evaluation, claims: readonly JudgedClaim[]): string {
  if (fold !== unseenFold) return "Certified on the test requests; there is no separate held-out set.";
  return claims.some(({ heldOut }) => heldOut === "too_few")
    ? `${tooFewText({ requests })}.`
    : "Certified, and held-out requests agree.";
}

function judgement(claim: Claim, evaluation: Evaluation, calibration: Calibration | null): ClaimJudgement {
  return judgeClaim(claim, evaluation, calibration === null ? 1 : certifiedClaims(calibration));
}

/** Judges an evaluation and each claim. @param calibration  the calibration whose thresholds were used, or null */
export function judgeRelease(evaluation: Evaluation, calibration: Calibration | null): ReleaseVerdict {
  const claims = (calibration?.claims ?? []).map(
    (claim): ClaimVerdict => ({
      scope: claim.scope,
      ...judgement(claim, evaluation, calibration),
    }),
  );
  return { ...overallVerdict(evaluation, claims), claims };
}
