import type { TopLevelSpec } from "vega-lite";
import { chartConfig, colour, plotWidth } from "./theme.js";

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

const mark = {
  type: "point" as const,
  fill: colour.paper,
  stroke: colour.ink,
  strokeWidth: 1.8,
  size: 100,
  opacity: 1,
};
const shape = {
  field: "name",
  type: "nominal" as const,
  title: null,
  scale: { domain: [...markNames], range: ["circle", "cross"] },
};

/** Threshold axis, strict to loose. @param title  null: no labels, because the panel below has them */
const thresholdAxis = (title: string | null) => ({
  field: "confidence",
  type: "quantitative" as const,
  title,
  sort: "descending" as const,
  scale: { zero: false, nice: false, padding: 10 },
  axis: { tickCount: 5, grid: false, labels: title !== null },
});

type Panel = Extract<TopLevelSpec, { vconcat: unknown }>["vconcat"][number];

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
        mark: { type: "rule", strokeDash: [6, 4], strokeWidth: 1.5, color: colour.target },
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
      { data: { values: marksOf(data) }, mark, encoding: { x, y: { field: "upper", ...risk }, shape } },
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
      { data: { values: marksOf(data) }, mark, encoding: { x, y, shape } },
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
