import type { Calibration, Claim } from "../src/domain/calibration.js";
import type { Evaluation } from "../src/domain/evaluation.js";
import { claimOutcome } from "./claim-outcome.js";
import { noData } from "../src/domain/number-text.js";
import type { Judgement, Verdict } from "./report-model.js";
import { judgeRisk } from "./verdict.js";

/** The verdict on one claim of a calibration. */
export interface ClaimVerdict extends Judgement {
  readonly scope: Claim["scope"];
}

/** The verdict on a whole evaluation. */
export interface OverallVerdict {
  readonly verdict: Verdict;
  readonly sentence: string;
  /** How many claims have which verdict; empty without claims. */
  readonly detail: string;
}

/** Statements about a release that page, command line and signed summary share. */
export interface ReleaseVerdict extends OverallVerdict {
  readonly claims: readonly ClaimVerdict[];
}

/** The fold that no model, calibration or threshold was fitted on. */
export const unseenFold = "eval";

/** The verdict on a claim, from what the evaluation measured of it. */
export function judgeClaim(claim: Claim, evaluation: Evaluation): Judgement {
  const { certified, reason, targetRisk } = claim;
  if (!certified) return { verdict: "abstains", reason: `Not certified: ${reason ?? "no reason given"}.` };
  return judgeRisk(claimOutcome(claim, evaluation).wrong, targetRisk);
}

/** `2 pass, 1 NOT SHOWN, 1 abstains`, in the order of the worst news. */
function countVerdicts(claims: readonly Pick<Judgement, "verdict">[]): string {
  const order: readonly Verdict[] = ["fail", "NOT SHOWN", "pass", "abstains"];
  return order
    .map((verdict) => ({ verdict, count: claims.filter((claim) => claim.verdict === verdict).length }))
    .filter(({ count }) => count > 0)
    .map(({ verdict, count }) => `${count} ${verdict}`)
    .join(", ");
}

/** The verdict on a whole evaluation, from those on the claims. */
export function overallVerdict(evaluation: Evaluation, claims: readonly Pick<Judgement, "verdict">[]): OverallVerdict {
  const where = evaluation.fold === unseenFold ? "on held-out requests" : `on fold ${evaluation.fold.toUpperCase()}`;
  const detail = claims.length === 0 ? "" : `Claims: ${countVerdicts(claims)}.`;
  const has = (verdict: Verdict) => claims.some((claim) => claim.verdict === verdict);
  if (evaluation.requests === 0) {
    return { verdict: "NOT SHOWN", sentence: `There is ${noData}: the evaluation holds no requests.`, detail };
  }
  if (evaluation.calibrationSha256 === null) {
    return { verdict: "NOT SHOWN", sentence: "Nothing is promised: no calibration was used.", detail };
  }
  if (has("fail")) return { verdict: "fail", sentence: `At least one claim is missed ${where}.`, detail };
  if (has("NOT SHOWN") || claims.length === 0) {
    const sentence = `No claim is missed ${where}, but not every one is shown to be met.`;
    return { verdict: "NOT SHOWN", sentence, detail };
  }
  if (has("pass")) return { verdict: "pass", sentence: `Every certified claim is met ${where}.`, detail };
  return { verdict: "abstains", sentence: "Nothing is certified: every request is declined.", detail };
}

/** The verdict on an evaluation and each claim. @param calibration  whose thresholds were used; null for none */
export function judgeRelease(evaluation: Evaluation, calibration: Calibration | null): ReleaseVerdict {
  const claims = (calibration?.claims ?? []).map(
    (claim): ClaimVerdict => ({
      scope: claim.scope,
      ...judgeClaim(claim, evaluation),
    }),
  );
  return { ...overallVerdict(evaluation, claims), claims };
}
