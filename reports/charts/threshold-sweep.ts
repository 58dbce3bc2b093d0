import type { TopLevelSpec } from "vega-lite";
import type { Calibration, Claim, TestStep } from "../../src/documents/calibration.js";
import { formatCount, formatPercent, formatPercentUp, formatPValue } from "../../src/documents/number-text.js";
import { type ChartView, num, reportTable } from "../blocks.js";
import { claimTitle, targetOfStep } from "../claim-view.js";
import { chartConfig, colour, markedPoint, markShapes, type Panel, plotWidth, targetRule } from "./theme.js";

/** One tested threshold. Shares are in [0, 1]. */
export interface SweepStep {
  readonly confidence: number;
  readonly coverage: number;
  readonly risk: number;
  readonly upper: number;
  readonly passed: boolean;
}

/** The tested path of one certification, strictest threshold first. */
export interface SweepData {
  readonly steps: readonly SweepStep[];
  readonly target: number;
  /** The threshold that ships; null if nothing is certified. */
  readonly operating: SweepStep | null;
  readonly firstFailed: SweepStep | null;
  /** Top of the risk axis, in (0, 1]. */
  readonly riskMax: number;
}

const pointOf = (step: TestStep, claim: Claim): SweepStep => ({
  confidence: step.confidence,
  coverage: claim.requests === 0 ? 0 : step.routed / claim.requests,
  risk: step.routed === 0 ? 0 : step.errors / step.routed,
  upper: step.upper_bound,
  passed: step.passed,
});

function shippedStep({ certified, routed, errors, trace }: Claim): TestStep | undefined {
  if (!certified) return undefined;
  return trace.findLast((step) => step.passed && step.routed === routed && step.errors === errors);
}

function sweepOf(claim: Claim): SweepData | null {
  if (claim.trace.length === 0) return null;
  const steps = claim.trace.map((step) => pointOf(step, claim));
  const shipped = shippedStep(claim);
  const firstFailed = steps.find(({ passed }) => !passed) ?? null;
  const highest = Math.max(claim.target_risk, ...steps.map(({ risk }) => risk), ...steps.map(({ upper }) => upper));
  return {
    steps,
    target: claim.target_risk,
    operating: shipped === undefined ? null : pointOf(shipped, claim),
    firstFailed,
    riskMax: Math.min(1, 1.1 * Math.max(0.02, Math.min(highest, 3 * claim.target_risk))),
  };
}

function captionOf(claim: Claim, data: SweepData | null, calibration: Calibration): string {
  if (data === null) return "No threshold was tested.";
  const passed = data.steps.filter((step) => step.passed).length;
  const tested = `${formatCount(passed)} of ${formatCount(data.steps.length)} tests passed.`;
  const ships =
    data.operating === null
      ? "No threshold is signed."
      : `Certified is at most ${formatPercent(claim.target_risk, 2)} at threshold ${data.operating.confidence}: ` +
        `the upper limit of wrong routes is ${formatPercentUp(data.operating.upper)}.`;
  const failed =
    data.firstFailed === null
      ? "No test failed."
      : `The test of ${formatPercent(targetOfStep(claim.trace.find((step) => !step.passed) ?? {}, claim, calibration), 2)} at threshold ` +
        `${data.firstFailed.confidence} failed: the upper limit is ${formatPercentUp(data.firstFailed.upper)}.`;
  return `${tested} ${ships} ${failed}`;
}

/** The tested path of one claim, from the strictest threshold to the first one that failed. */
export function sweepView(claim: Claim, calibration: Calibration): ChartView<SweepData> {
  const title = claimTitle(claim.scope);
  const data = sweepOf(claim);
  const caption = captionOf(claim, data, calibration);
  return {
    title: `${title}: tested thresholds`,
    caption,
    alt: `${title}: risk and coverage at each tested threshold. ${caption}`,
    data,
    table: reportTable(
      `${title}: tested steps, in the order of the test`,
      [num("Target"), num("Confidence at least"), num("Routed"), num("Wrong"), num("Upper limit"), num("p"), "Test"],
      claim.trace.map((step) => [
        formatPercent(targetOfStep(step, claim, calibration), 2),
        String(step.confidence),
        formatCount(step.routed),
        formatCount(step.errors),
        formatPercentUp(step.upper_bound),
        formatPValue(step.p_value),
        step.passed ? "pass" : "fail",
      ]),
    ),
  };
}

const axisTitle = "Threshold, strict to loose";
const heights = { risk: 200, coverage: 110 } as const;
const markNames = ["signed", "first failed test"] as const;

/** Moves values above the axis to its top. */
function withinSweep({ steps, riskMax }: SweepData): readonly SweepStep[] {
  return steps.map((step) => ({
    ...step,
    risk: Math.min(step.risk, riskMax),
    upper: Math.min(step.upper, riskMax),
  }));
}

function marksOf({ operating, firstFailed, riskMax }: SweepData) {
  const named = [
    { name: markNames[0], at: operating },
    { name: markNames[1], at: firstFailed },
  ];
  return named.flatMap(({ name, at }) =>
    at === null ? [] : [{ name, confidence: at.confidence, coverage: at.coverage, upper: Math.min(at.upper, riskMax) }],
  );
}

const shape = markShapes(markNames);

/** Threshold axis, strict to loose. @param title  null: no labels, because the panel below has them */
const thresholdAxis = (title: string | null) => ({
  field: "confidence",
  type: "quantitative" as const,
  title,
  sort: "descending" as const,
  scale: { zero: false, nice: false, padding: 10 },
  axis: { tickCount: 5, grid: false, labels: title !== null },
});

function riskPanel(data: SweepData): Panel {
  const x = thresholdAxis(null);
  const risk = {
    type: "quantitative" as const,
    title: "Risk",
    scale: { domain: [0, data.riskMax], nice: false },
    axis: { tickCount: 5, format: ".0~%" },
  };
  const steps = { values: [...withinSweep(data)] };
  return {
    width: plotWidth,
    height: heights.risk,
    layer: [
      {
        data: { values: withinSweep(data).filter((step) => step.passed) },
        mark: { type: "area", color: colour.band },
        encoding: { x, y: { field: "risk", ...risk }, y2: { field: "upper" } },
      },
      {
        data: { values: [{ value: data.target }] },
        mark: targetRule,
        encoding: { y: { field: "value", ...risk } },
      },
      {
        data: steps,
        mark: { type: "line", color: colour.data, strokeWidth: 1.4, strokeDash: [3, 3] },
        encoding: { x, y: { field: "upper", ...risk } },
      },
      {
        data: steps,
        mark: { type: "line", color: colour.data, strokeWidth: 2.4 },
        encoding: { x, y: { field: "risk", ...risk } },
      },
      { data: { values: marksOf(data) }, mark: markedPoint, encoding: { x, y: { field: "upper", ...risk }, shape } },
    ],
  };
}

function coveragePanel(data: SweepData): Panel {
  const x = thresholdAxis(axisTitle);
  const y = {
    field: "coverage",
    type: "quantitative" as const,
    title: "Coverage",
    scale: { zero: true },
    axis: { tickCount: 3, format: ".0~%" },
  };
  return {
    width: plotWidth,
    height: heights.coverage,
    layer: [
      {
        data: { values: [...data.steps] },
        mark: { type: "line", color: colour.data, strokeWidth: 2.4 },
        encoding: { x, y },
      },
      { data: { values: marksOf(data) }, mark: markedPoint, encoding: { x, y, shape } },
    ],
  };
}

/**
 * The tested thresholds, strictest on the left: estimated risk with its upper limit and the target in the upper panel,
 * coverage in the lower one. Passed steps are filled; the shipped threshold and the first failed one are marked.
 */
export function thresholdSweepSpec(data: SweepData): TopLevelSpec {
  return { config: chartConfig, spacing: 10, vconcat: [riskPanel(data), coveragePanel(data)] };
}
