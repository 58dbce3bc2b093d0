import type { TopLevelSpec } from "vega-lite";
import { type RiskTier, riskTiers } from "../../src/documents/choices.js";
import { chartConfig, colour, plotWidth, tierShape } from "./theme.js";

/** One point of the curve with the interval of its risk; all in [0, 1]. */
export interface RiskCoverageRow {
  readonly coverage: number;
  readonly risk: number;
  readonly lower: number;
  readonly upper: number;
}

export interface RiskCoverageData {
  /** Points by ascending coverage. */
  readonly points: readonly RiskCoverageRow[];
  readonly targets: readonly { readonly label: string; readonly value: number }[];
  /** Position of each tier's confidence threshold on the curve. */
  readonly operatingPoints: readonly { readonly tier: RiskTier; readonly coverage: number; readonly risk: number }[];
  /** Top of the risk axis, in (0, 1]. */
  readonly riskMax: number;
}

const height = 220;
/** Minimum distance between two target labels, as a share of the axis. */
const labelGap = 0.055;

/** Assigns label positions to the targets; labels that are too close are moved up. */
function spreadLabels(data: RiskCoverageData): readonly { label: string; value: number; labelAt: number }[] {
  let free = 0;
  return data.targets.map(({ label, value }) => {
    const labelAt = Math.max(value, free);
    free = labelAt + labelGap * data.riskMax;
    return { label: `${label} ≤ ${value}`, value, labelAt };
  });
}

function tiersOf(data: RiskCoverageData): readonly RiskTier[] {
  return riskTiers.filter((tier) => data.operatingPoints.some((point) => point.tier === tier));
}

/** Scale and legend of the point shapes of the tiers. */
function tierShapes(tiers: readonly RiskTier[]) {
  return {
    field: "tier",
    type: "nominal" as const,
    title: "Threshold of tier",
    scale: { domain: [...tiers], range: tiers.map((tier) => tierShape[tier]) },
  };
}

/**
 * Step line of selective risk against coverage with its band, the target lines, and the point of each tier's threshold.
 * Between reachable coverages, the line has the value of the next larger one.
 */
export function riskCoverageSpec(data: RiskCoverageData): TopLevelSpec {
  const x = coverageAxis;
  const risk = riskAxis(data.riskMax, 6);
  const points = withinAxis(data.points, data.riskMax);
  return {
    width: plotWidth,
    height,
    config: chartConfig,
    layer: [
      {
        data: { values: points },
        mark: { type: "area", interpolate: "step-before", color: colour.band },
        encoding: { x, y: { field: "lower", ...risk }, y2: { field: "upper" } },
      },
      {
        data: { values: [...data.targets] },
        mark: { type: "rule", strokeDash: [6, 4], strokeWidth: 1.5, color: colour.target },
        encoding: { y: { field: "value", ...risk } },
      },
      {
        data: { values: [...spreadLabels(data)] },
        mark: { type: "text", align: "right", dx: -4, dy: -7, fontSize: 12, color: colour.target },
        encoding: { x: { value: plotWidth }, y: { field: "labelAt", ...risk }, text: { field: "label" } },
      },
      {
        data: { values: points },
        mark: { type: "line", interpolate: "step-before", color: colour.data, strokeWidth: 2.2 },
        encoding: { x, y: { field: "risk", ...risk } },
      },
      {
        data: { values: [...data.operatingPoints] },
        mark: { type: "point", fill: colour.paper, stroke: colour.ink, strokeWidth: 1.8, size: 110, opacity: 1 },
        encoding: { x, y: { field: "risk", ...risk }, shape: tierShapes(tiersOf(data)) },
      },
    ],
  };
}

/** The coverage axis of charts of selective risk against coverage. */
export const coverageAxis = {
  field: "coverage",
  type: "quantitative" as const,
  title: "Coverage",
  scale: { domain: [0, 1] },
  axis: { values: [0, 0.2, 0.4, 0.6, 0.8, 1], format: ".0%", grid: false },
};

/** @param tickCount  approximate number of ticks for the height */
export const riskAxis = (riskMax: number, tickCount: number) => ({
  type: "quantitative" as const,
  title: "Selective risk",
  scale: { domain: [0, riskMax], nice: false },
  axis: { tickCount, format: ".1~%" },
});

/** A step of the curve with its band. Shares are in [0, 1]. */
interface CurvePoint {
  readonly coverage: number;
  readonly risk: number;
  readonly lower: number;
  readonly upper: number;
}

/** Moves values above the axis to its top, because clipped values would still take up space. */
export function withinAxis(points: readonly CurvePoint[], riskMax: number): CurvePoint[] {
  const cut = (value: number): number => Math.min(value, riskMax);
  return points.map(({ coverage, risk, lower, upper }) => ({
    coverage,
    risk: cut(risk),
    lower: cut(lower),
    upper: cut(upper),
  }));
}
