import type { Calibration, TierCalibration } from "../src/domain/calibration.js";
import { type RiskTier, riskTiers } from "../src/domain/catalog.js";
import type { Evaluation, TierEvaluation } from "../src/domain/evaluation.js";
import { noData } from "./format-rate.js";
import type { Judgement, Verdict } from "./report-model.js";
import { judgeRisk } from "./verdict.js";

/** The verdict on one tier. */
export interface TierVerdict extends Judgement {
  readonly tier: RiskTier;
}

/** The verdict on a whole evaluation. */
export interface OverallVerdict {
  readonly verdict: Verdict;
  readonly sentence: string;
  /** How many tiers have which verdict; empty without tiers. */
  readonly detail: string;
}

/** What every reader is told about a release: the page, the command line and the summary that approvers sign. */
export interface ReleaseVerdict extends OverallVerdict {
  readonly tiers: readonly TierVerdict[];
}

/** The fold whose workflows no model, calibration or threshold has seen. */
export const unseenFold = "eval";

/** Where the numbers come from, in words. */
function foldPhrase(evaluation: Evaluation): string {
  return evaluation.fold === unseenFold ? "on unseen workflows" : `on fold ${evaluation.fold.toUpperCase()}`;
}

/** The share of wrong routes that a tier may have; null without a calibration. */
export function targetOf(measured: TierEvaluation | undefined, certified: TierCalibration | undefined): number | null {
  return measured?.targetRisk ?? certified?.targetRisk ?? null;
}

/** The verdict on one tier, from what was measured and what was certified. */
export function judgeTier(measured: TierEvaluation | undefined, certified: TierCalibration | undefined): Judgement {
  if (certified !== undefined && certified.confidence === null) {
    const code = certified.abstainReason === null ? "" : `${certified.abstainReason}: `;
    return { verdict: "abstains", reason: `${code}${certified.message}` };
  }
  const target = targetOf(measured, certified);
  if (target === null) {
    return { verdict: "NOT SHOWN", reason: "No calibration was used, so this tier has no threshold and no target." };
  }
  if (certified === undefined && measured?.threshold === null) {
    return { verdict: "abstains", reason: "The tier has no threshold; the calibration that says why was not given." };
  }
  if (measured === undefined) return { verdict: "NOT SHOWN", reason: `The evaluation has ${noData} of this tier.` };
  return judgeRisk(measured.selectiveRisk, target);
}

/** `2 pass, 1 NOT SHOWN, 1 abstains`, in the order of the worst news. */
function countVerdicts(tiers: readonly Pick<TierVerdict, "verdict">[]): string {
  const order: readonly Verdict[] = ["fail", "NOT SHOWN", "pass", "abstains"];
  return order
    .map((verdict) => ({ verdict, count: tiers.filter((t) => t.verdict === verdict).length }))
    .filter(({ count }) => count > 0)
    .map(({ verdict, count }) => `${count} ${verdict}`)
    .join(", ");
}

/** The verdict on a whole evaluation. */
export function overallVerdict(evaluation: Evaluation, tiers: readonly Pick<TierVerdict, "verdict">[]): OverallVerdict {
  const where = foldPhrase(evaluation);
  const detail = tiers.length === 0 ? "" : `Tiers: ${countVerdicts(tiers)}.`;
  const has = (verdict: Verdict) => tiers.some((t) => t.verdict === verdict);
  if (evaluation.requests === 0) {
    return { verdict: "NOT SHOWN", sentence: `There is ${noData}: the evaluation holds no requests.`, detail };
  }
  if (evaluation.calibrationSha256 === null) {
    return { verdict: "NOT SHOWN", sentence: "Nothing is promised: no calibration was used.", detail };
  }
  if (has("fail")) return { verdict: "fail", sentence: `At least one target is missed ${where}.`, detail };
  if (has("NOT SHOWN")) {
    return {
      verdict: "NOT SHOWN",
      sentence: `No target is missed ${where}, but not every one is shown to be met.`,
      detail,
    };
  }
  if (has("pass")) return { verdict: "pass", sentence: `Every tier that may route meets its target ${where}.`, detail };
  return { verdict: "abstains", sentence: "No tier may route: every request is declined.", detail };
}

/** The verdict on an evaluation and its tiers. @param calibration  whose thresholds were used; null for none */
export function judgeRelease(evaluation: Evaluation, calibration: Calibration | null): ReleaseVerdict {
  const known = calibration !== null || evaluation.tiers.length > 0;
  const tiers = (known ? riskTiers : []).map((tier): TierVerdict => {
    const measured = evaluation.tiers.find((t) => t.tier === tier);
    return { tier, ...judgeTier(measured, calibration?.tiers[tier]) };
  });
  return { ...overallVerdict(evaluation, tiers), tiers };
}
