import type { TopLevelSpec } from "vega-lite";
import { clopperPearson } from "../../src/base/numbers/clopper-pearson.js";
import { type Calibration, scopeName } from "../../src/documents/calibration.js";
import type { RiskTier } from "../../src/documents/choices.js";
import { riskTiers } from "../../src/documents/choices.js";
import type { Evaluation, RiskCoveragePoint } from "../../src/documents/evaluation.js";
import { counted, formatCount, formatRate, noData } from "../../src/documents/number-text.js";
import type { Rate } from "../../src/documents/rate.js";
import { type ChartView, num, reportTable, type ReportTable } from "../blocks.js";
import { chartConfig, colour, type Layer, markedPoint, plotWidth, targetRule, tierShape } from "./theme.js";

/** One point of the curve; all in [0, 1]. Requests that tested a claim have no other limit, so their curve has no band. */
export interface RiskCoverageRow {
  readonly coverage: number;
  readonly risk: number;
  readonly lower: number | null;
  readonly upper: number | null;
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

const bandConfidence = 0.95;

/** Approximate maximum number of points that are drawn and listed. */
const maximumPoints = 200;

/**
 * Minimum number of accepted requests for a point to affect the height of the chart; below it, the error share varies
 * too much.
 */
const steadyAccepted = 30;

/**
 * Thins a curve to about `maximumPoints` points, evenly spread over coverage, including the ends and the chosen points.
 */
function thin(
  points: readonly RiskCoveragePoint[],
  kept: ReadonlySet<RiskCoveragePoint>,
): readonly RiskCoveragePoint[] {
  if (points.length <= maximumPoints) return points;
  const end = points.at(-1)?.coverage ?? 1;
  const cell = (point: RiskCoveragePoint) => Math.floor((point.coverage / end) * maximumPoints);
  return points.filter((point, index) => {
    const next = points[index + 1];
    return index === 0 || next === undefined || kept.has(point) || cell(next) !== cell(point);
  });
}

interface ChosenPoint {
  readonly tier: RiskTier;
  readonly point: RiskCoveragePoint;
}

/** For each tier with a threshold t: the last point with `confidence >= t`. */
function chosenPoints({ tiers, risk_coverage }: Evaluation): readonly ChosenPoint[] {
  return tiers.flatMap(({ tier, threshold }) => {
    const point = threshold === null ? undefined : risk_coverage.findLast((p) => p.threshold >= threshold);
    return point === undefined ? [] : [{ tier, point }];
  });
}

interface BandedPoint {
  readonly point: RiskCoveragePoint;
  readonly row: RiskCoverageRow;
}

/** Design effect of the band around a curve, >= 1; null for no band. */
export const bandEffect = ({ method, design_effect: effect }: Rate): number | null =>
  method === "claim" || method === "none" ? null : Math.max(1, effect ?? 1);

/** 95% interval of each threshold by itself. */
export const bandAt = (
  errors: number,
  accepted: number,
  effect: number | null,
): Pick<RiskCoverageRow, "lower" | "upper"> =>
  effect === null ? { lower: null, upper: null } : clopperPearson(errors / effect, accepted / effect, bandConfidence);

function withBand(point: RiskCoveragePoint, effect: number | null): BandedPoint {
  const band = bandAt(point.errors, point.accepted, effect);
  return { point, row: { coverage: point.coverage, risk: point.selective_risk, ...band } };
}

/** Top of the risk axis: above the targets and the steady part of the curve, ignoring its jumps at low coverage. */
function topOfRisk(evaluation: Evaluation, rows: readonly RiskCoverageRow[], targets: readonly number[]): number {
  const steady = evaluation.risk_coverage.reduce(
    (highest, point) => (point.accepted < steadyAccepted ? highest : Math.max(highest, point.selective_risk)),
    0,
  );
  const wanted = Math.max(0.02, ...targets.map((target) => 1.5 * target), steady, rows.at(-1)?.upper ?? 0);
  return Math.min(1, 1.05 * wanted);
}

/** The targets of the claims, or of the tiers without a calibration. Equal targets share a line. */
function targetLines(evaluation: Evaluation, calibration: Calibration | null): RiskCoverageData["targets"] {
  if (calibration !== null) {
    return calibration.claims.map(({ scope, target_risk }) => ({ label: scopeName(scope), value: target_risk }));
  }
  const values = [...new Set(evaluation.tiers.flatMap((t) => (t.target_risk === null ? [] : [t.target_risk])))];
  return values
    .toSorted((a, b) => a - b)
    .map((value) => {
      const tiers = evaluation.tiers.filter((t) => t.target_risk === value).map((t) => t.tier);
      return { label: tiers.join(", "), value };
    });
}

function caption(points: number, shown: number, designEffect: number | null): string {
  const interval =
    designEffect === null ? "" : " Each interval is the 95% Clopper-Pearson interval of its threshold by itself.";
  const counted =
    designEffect !== null && designEffect > 1
      ? ` Requests for a workflow are alike: ${designEffect.toFixed(2)} of them count as one independent request.`
      : "";
  const thinned = shown < points ? ` ${formatCount(shown)} of ${formatCount(points)} points are shown.` : "";
  return (
    "A stricter threshold accepts a smaller share of requests (coverage), of which a smaller " +
    `share should be wrong (selective risk).${interval}${counted}${thinned}`
  );
}

function alt(all: RiskCoveragePoint | undefined): string {
  if (all === undefined) return `Risk against coverage: ${noData}.`;
  return (
    `Step line of selective risk against coverage for ${counted(all.accepted, "request")}. Accepting every ` +
    `request gives ${counted(all.errors, "error")}. The values are in the table below the chart.`
  );
}

function table(points: readonly BandedPoint[], chosen: readonly ChosenPoint[]): ReportTable {
  return reportTable(
    "Points of the risk-coverage curve",
    [num("Confidence at least"), num("Accepted / requests"), num("Wrong / accepted"), "Threshold of"],
    points.map(({ point, row }) => [
      String(point.threshold),
      `${formatCount(point.accepted)}/${formatCount(Math.round(point.accepted / point.coverage))}`,
      formatRate({ ...row, k: point.errors, n: point.accepted }),
      chosen
        .filter((c) => c.point === point)
        .map((c) => c.tier)
        .join(", "),
    ]),
  );
}

/**
 * The risk-coverage curve with its 95% band, the targets, and the point of each tier's threshold. The band divides the
 * number of requests by the design effect of the selective risk.
 */
export function riskCoverageView(evaluation: Evaluation, calibration: Calibration | null): ChartView<RiskCoverageData> {
  const curve = evaluation.risk_coverage;
  const designEffect = bandEffect(evaluation.selective_risk);
  const chosen = chosenPoints(evaluation);
  const shown = thin(curve, new Set(chosen.map((c) => c.point))).map((point) => withBand(point, designEffect));
  const rows = shown.map(({ row }) => row);
  const targets = targetLines(evaluation, calibration);
  const data = {
    points: rows,
    targets,
    operatingPoints: chosen.map(({ tier, point }) => ({ tier, coverage: point.coverage, risk: point.selective_risk })),
    riskMax: topOfRisk(
      evaluation,
      rows,
      targets.map((target) => target.value),
    ),
  };
  return {
    title: "Risk against coverage",
    caption: caption(curve.length, shown.length, designEffect),
    legend:
      `Read from right to left. ${designEffect === null ? "" : "The shaded band is the interval. "}A dashed line is a target, ` +
      "and a marker shows where the threshold of a tier meets the curve.",
    alt: alt(curve.at(-1)),
    data: rows.length === 0 ? null : data,
    table: table(shown, chosen),
  };
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
  const risk = riskAxis(data.riskMax, 6);
  const points = withinAxis(data.points, data.riskMax);
  return {
    width: plotWidth,
    height,
    config: chartConfig,
    layer: [
      ...bandAndTargets(points, data.targets, risk),
      {
        data: { values: [...spreadLabels(data)] },
        mark: { type: "text", align: "right", dx: -4, dy: -7, fontSize: 12, color: colour.target },
        encoding: { x: { value: plotWidth }, y: { field: "labelAt", ...risk }, text: { field: "label" } },
      },
      stepLine(points, risk, 2.2),
      {
        data: { values: [...data.operatingPoints] },
        mark: { ...markedPoint, size: 110 },
        encoding: { x: coverageAxis, y: { field: "risk", ...risk }, shape: tierShapes(tiersOf(data)) },
      },
    ],
  };
}

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

/** Moves values above the axis to its top, because clipped values would still take up space. */
export function withinAxis(points: readonly RiskCoverageRow[], riskMax: number): RiskCoverageRow[] {
  const cut = (value: number): number => Math.min(value, riskMax);
  const end = (value: number | null): number | null => (value === null ? null : cut(value));
  return points.map(({ coverage, risk, lower, upper }) => ({
    coverage,
    risk: cut(risk),
    lower: end(lower),
    upper: end(upper),
  }));
}

/** The band of a curve, and a dashed line at each target. */
export const bandAndTargets = (
  points: RiskCoverageRow[],
  targets: readonly { readonly value: number }[],
  risk: ReturnType<typeof riskAxis>,
): readonly Layer[] => [
  {
    data: { values: points.filter(({ upper }) => upper !== null) },
    mark: { type: "area", interpolate: "step-before", color: colour.band },
    encoding: { x: coverageAxis, y: { field: "lower", ...risk }, y2: { field: "upper" } },
  },
  { data: { values: [...targets] }, mark: targetRule, encoding: { y: { field: "value", ...risk } } },
];

/** A curve as steps: between reachable coverages it has the value of the next larger one. */
export const stepLine = (points: RiskCoverageRow[], risk: ReturnType<typeof riskAxis>, strokeWidth: number): Layer => ({
  data: { values: points },
  mark: { type: "line", interpolate: "step-before", color: colour.data, strokeWidth },
  encoding: { x: coverageAxis, y: { field: "risk", ...risk } },
});
