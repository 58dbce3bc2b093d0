import type { Calibration, TestStep, TierCalibration } from "../src/domain/calibration.js";
import { type RiskTier, riskTiers, type Workflow } from "../src/domain/catalog.js";
import type { Evaluation, TierEvaluation } from "../src/domain/evaluation.js";
import {
  formatCount,
  formatEffective,
  formatExact,
  formatPercent,
  formatProportionOf,
  formatUpper,
  noData,
} from "./format-rate.js";
import { rateLine } from "./rate-line.js";
import { judgeTier, targetOf } from "./judge-release.js";
import type { Fact, RateLine, Table, TierView } from "./report-model.js";

/** The part of a catalog that a report shows. */
export interface CatalogNames {
  readonly catalogVersion: string;
  readonly workflows: readonly Pick<Workflow, "workflowId" | "name" | "riskTier" | "status">[];
}

const atLeast = (threshold: number | null): string =>
  threshold === null ? "none" : `at least ${formatExact(threshold)}`;

function facts(measured: TierEvaluation | undefined, certified: TierCalibration | undefined): readonly Fact[] {
  const target = targetOf(measured, certified);
  const confidence = certified?.confidence ?? measured?.threshold ?? null;
  const margin = certified?.margin ?? measured?.marginThreshold ?? null;
  return [
    { label: "Target for wrong routes", value: target === null ? "none" : `at most ${formatExact(target)}` },
    { label: "Confidence threshold", value: atLeast(confidence) },
    { label: "Margin threshold", value: atLeast(margin) },
    ...(certified === undefined ? [] : [{ label: "Certified on", value: certificationText(certified) }]),
  ];
}

/** Evidence of the certification fold; its interval is one-sided, with 0 as its lower end. */
function certificationText(certified: TierCalibration): string {
  const workflows = `${formatCount(certified.workflows)} workflows`;
  if (certified.routed === 0 || certified.upperBound === null) {
    return `${formatCount(certified.errors)}/${formatCount(certified.routed)}: ${noData}, ${workflows}`;
  }
  const rate = formatProportionOf(certified.errors, certified.routed, [0, certified.upperBound]);
  return `${rate} wrong, ${workflows}; one-sided ${formatPercent(1 - certified.delta)} limit`;
}

function stepRow(step: TestStep): readonly string[] {
  return [
    formatExact(step.confidence),
    formatExact(step.margin),
    step.routed === 0 ? `0/0: ${noData}` : formatProportionOf(step.errors, step.routed, [0, step.upperBound]),
    formatCount(step.workflows),
    formatEffective(step.effectiveRouted),
    step.pValue === null ? "none" : formatUpper(step.pValue),
    step.passed ? "pass" : "fail",
  ];
}

function certificationTable(tier: RiskTier, certified: TierCalibration): Table {
  return {
    caption: `Tier ${tier}: steps of the certification test, strictest threshold first`,
    columns: [
      { label: "Confidence at least", numeric: true },
      { label: "Margin at least", numeric: true },
      { label: `Wrong / routed, one-sided ${formatPercent(1 - certified.delta)} limit`, numeric: true },
      { label: "Workflows", numeric: true },
      { label: "Counts as independent", numeric: true },
      { label: `p (passes at ${formatExact(certified.delta)})`, numeric: true },
      { label: "Step", numeric: false },
    ],
    rows: certified.trace.map(stepRow),
  };
}

function tierRates(tier: RiskTier, measured: TierEvaluation | undefined): readonly RateLine[] {
  if (measured === undefined) return [];
  return [
    rateLine(
      "Selective risk",
      "lower is better",
      measured.selectiveRisk,
      `Wrongly routed among the routed requests of tier ${tier}.`,
    ),
    rateLine(
      "Coverage",
      "higher is better",
      measured.routed,
      `Routed among the requests whose best candidate is of tier ${tier}.`,
    ),
  ];
}

/** One view per tier, low to critical; none when the evaluation has no tiers and no calibration was given. */
export function tierViews(
  evaluation: Evaluation,
  calibration: Calibration | null,
  catalog: CatalogNames | undefined,
): readonly TierView[] {
  if (calibration === null && evaluation.tiers.length === 0) return [];
  return riskTiers.map((tier) => {
    const measured = evaluation.tiers.find((t) => t.tier === tier);
    const certified = calibration?.tiers[tier];
    const members = catalog?.workflows.filter((w) => w.riskTier === tier && w.status === "active");
    return {
      tier,
      ...judgeTier(measured, certified),
      promise: certified === undefined || certified.confidence === null ? null : certified.claim,
      facts: facts(measured, certified),
      rates: tierRates(tier, measured),
      workflows: members === undefined ? null : members.map((w) => `${w.name} (${w.workflowId})`),
      certification: certified === undefined ? null : certificationTable(tier, certified),
    };
  });
}
