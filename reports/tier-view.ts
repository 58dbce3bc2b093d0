import { clopperPearsonUpper } from "../src/base/numbers/clopper-pearson.js";
import { statedReason } from "../src/base/text.js";
import { type Calibration, type TierCalibration, usedTiers } from "../src/documents/calibration.js";
import type { Workflow } from "../src/documents/catalog.js";
import { type RiskTier, riskTiers } from "../src/documents/choices.js";
import type { Evaluation, TierEvaluation } from "../src/documents/evaluation.js";
import {
  counted,
  formatCount,
  formatFixedPercent,
  formatFixedPercentDown,
  formatFixedPercentUp,
  formatPercent,
  noData,
} from "../src/documents/number-text.js";
import type { Rate } from "../src/documents/rate.js";
import type { Fact, Judgement, RateLine } from "./blocks.js";
import { factList } from "./blocks.js";
import { rateLine } from "./rate-line.js";
import { abstainText } from "./reason-text.js";

/** The fields of a catalog that a report shows. */
export interface CatalogNames {
  readonly catalog_version: string;
  readonly workflows: readonly Pick<Workflow, "workflow_id" | "name" | "risk_tier" | "status">[];
}

/** Targets and thresholds of a tier, from the calibration if given, otherwise from the evaluation. */
function limitsOf(measured: TierEvaluation | undefined, certified: TierCalibration | undefined) {
  if (certified !== undefined) return certified;
  const { target_risk = null, threshold: confidence = null, margin_threshold: margin = null } = measured ?? {};
  return { target_risk, confidence, margin };
}

function judge(measured: TierEvaluation | undefined, certified: TierCalibration | undefined): Judgement {
  const { confidence, target_risk } = limitsOf(measured, certified);
  if (confidence === null) {
    return { verdict: "abstains", reason: `The tier has no threshold: ${whyAbstains(certified)}.` };
  }
  if (target_risk === null) {
    return { verdict: "no claim", reason: "Nothing is claimed about this tier alone; its rates are only measured." };
  }
  if (measured === undefined) return { verdict: "NOT SHOWN", reason: `The evaluation has ${noData} for this tier.` };
  return judgeRisk(measured.selective_risk, target_risk);
}

function whyAbstains(certified: TierCalibration | undefined): string {
  if (certified === undefined) return "the calibration, which states the reason, was not given";
  const { abstain_reason: reason } = certified;
  return reason === null ? statedReason(reason) : abstainText(reason);
}

const atLeast = (threshold: number | null): string => (threshold === null ? "none" : `at least ${String(threshold)}`);

function facts(measured: TierEvaluation | undefined, certified: TierCalibration | undefined): readonly Fact[] {
  const { confidence, margin, target_risk } = limitsOf(measured, certified);
  const claimed = target_risk === null ? "none" : `at most ${formatPercent(target_risk)} wrong`;
  return factList([
    ["Separate claim", claimed],
    ["Confidence threshold", atLeast(confidence)],
    ...(margin === null || margin === 0 ? [] : ([["Margin threshold", atLeast(margin)]] as const)),
    ...(certified === undefined ? [] : ([["On the certification requests", certificationText(certified)]] as const)),
  ]);
}

function certificationText(certified: TierCalibration): string {
  const { errors, routed, workflows } = certified;
  if (routed === 0) return `0/0: ${noData}`;
  return `${formatCount(errors)} wrong of ${formatCount(routed)} routed, ${counted(workflows, "workflow")}`;
}

function tierRates(tier: RiskTier, measured: TierEvaluation | undefined): readonly RateLine[] {
  if (measured === undefined) return [];
  return [
    rateLine(
      `Tier ${tier} risk`,
      "lower is better",
      measured.selective_risk,
      `Wrong routes, as a share of all routes of tier ${tier}.`,
    ),
    rateLine(
      `Tier ${tier} routed`,
      "higher is better",
      measured.routed,
      `Routed requests, as a share of those whose first candidate is of tier ${tier}.`,
    ),
  ];
}

/** One view for each tier that a request could be routed to, low to critical. */
export function tierViews(evaluation: Evaluation, calibration: Calibration | null, catalog: CatalogNames | undefined) {
  const shown = new Set<RiskTier>([
    ...(calibration === null ? [] : usedTiers(calibration)),
    ...evaluation.tiers.filter(({ routed }) => routed.n > 0).map(({ tier }) => tier),
  ]);
  return riskTiers
    .filter((tier) => shown.has(tier))
    .map((tier) => {
      const measured = evaluation.tiers.find((t) => t.tier === tier);
      const certified = calibration?.tiers[tier];
      const members = catalog?.workflows.filter((w) => w.risk_tier === tier && w.status === "active");
      return {
        tier,
        ...judge(measured, certified),
        facts: facts(measured, certified),
        rates: tierRates(tier, measured),
        workflows: members === undefined ? null : members.map((w) => `${w.name} (${w.workflow_id})`),
      };
    });
}

export type TierView = ReturnType<typeof tierViews>[number];

/** Maximum number of requests that is suggested for collection. */
const mostRequests = 10_000_000;

/**
 * Smallest number of routed requests, with the same wrong share and clustering, whose upper limit is at most the
 * target.
 */
function requestsNeeded(rate: Rate, target: number): number | null {
  const share = rate.estimate ?? 0;
  const effect = Math.max(1, rate.design_effect ?? 1);
  const d = (1 - rate.confidence) / rate.sides;
  const shows = (n: number) => clopperPearsonUpper((share * n) / effect, n / effect, d) <= target;
  let failing = 0;
  let passing = 1;
  while (!shows(passing)) {
    failing = passing;
    passing *= 2;
    if (passing > mostRequests) return null;
  }
  while (passing - failing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if (shows(middle)) passing = middle;
    else failing = middle;
  }
  return passing;
}

function enough(rate: Rate, target: number): string {
  if (target <= 0) return "";
  const needed = requestsNeeded(rate, target);
  if (needed === null)
    return ` Even a very large number of requests with this share wrong would not show that at most ${formatPercent(target)} are wrong.`;
  const condition = rate.k === 0 ? "without an error" : "with the same share wrong";
  return ` About ${counted(needed, "routed request")} ${condition} would show that at most ${formatPercent(target)} are wrong.`;
}

/**
 * Judges a measured share of wrong routes by its interval: pass if the upper limit is at most the target, fail if the
 * lower limit is above it, otherwise NOT SHOWN with what would be enough.
 */
export function judgeRisk(risk: Rate, target: number): Judgement {
  if (risk.estimate === null) {
    return {
      verdict: "NOT SHOWN",
      reason: `No request was routed, so there is nothing to judge.${enough(risk, target)}`,
    };
  }
  if (risk.upper === null) return { verdict: "NOT SHOWN", reason: "The claim counts these requests differently." };
  const goal = formatPercent(target);
  if (risk.upper <= target) {
    return {
      verdict: "pass",
      reason: `The upper limit ${formatFixedPercentUp(risk.upper)} is at most the target ${goal}.`,
    };
  }
  if (risk.lower !== null && risk.lower > target) {
    return {
      verdict: "fail",
      reason: `The lower limit ${formatFixedPercentDown(risk.lower)} is above the target ${goal}.`,
    };
  }
  if (risk.estimate > target) {
    return {
      verdict: "NOT SHOWN",
      reason:
        `The measured share ${formatFixedPercent(risk.estimate)} is above the target ${goal}, and the interval ` +
        "contains the target. More requests of this kind are unlikely to change this to a pass.",
    };
  }
  const counts = `${formatCount(risk.k)} wrong of ${formatCount(risk.n)} routed`;
  return {
    verdict: "NOT SHOWN",
    reason: `${counts} shows only that at most ${formatFixedPercentUp(risk.upper)} are wrong.${enough(risk, target)}`,
  };
}
