import { riskTiers } from "../src/domain/catalog.js";
import type { Evaluation, RiskCoveragePoint } from "../src/domain/evaluation.js";
import { clopperPearson } from "../src/stats/clopper-pearson.js";
import {
  formatCount,
  formatExact,
  formatMeasured,
  formatProportion,
  formatProportionOf,
  formatRate,
  noData,
} from "./format-rate.js";
import type {
  ChartView,
  ReliabilityData,
  RiskCoverageData,
  RiskCoverageRow,
  TierBarsData,
  TierView,
} from "./report-model.js";

const bandConfidence = 0.95;
/** Points drawn and listed of a longer curve. */
const maximumPoints = 200;
/** Below this many accepted requests the share of errors jumps too much to set the height of the chart. */
const steadyAccepted = 30;

/** A curve of at most about `maximumPoints` points, evenly spread over coverage, with the ends and the chosen points kept. */
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

/** The last point whose threshold is at least t: what accepting at `confidence >= t` gives. */
function pointAt(points: readonly RiskCoveragePoint[], threshold: number): RiskCoveragePoint | undefined {
  return points.findLast((point) => point.threshold >= threshold);
}

function withBand(point: RiskCoveragePoint, designEffect: number): RiskCoverageRow {
  const band = clopperPearson(point.errors / designEffect, point.accepted / designEffect, bandConfidence);
  return { coverage: point.coverage, risk: point.selectiveRisk, lower: band.lower, upper: band.upper };
}

function topOfRisk(evaluation: Evaluation, rows: readonly RiskCoverageRow[], targets: readonly number[]): number {
  const steady = evaluation.riskCoverage.filter((p) => p.accepted >= steadyAccepted).map((p) => p.selectiveRisk);
  const wanted = Math.max(0.02, ...targets.map((t) => 1.5 * t), ...steady, rows.at(-1)?.upper ?? 0);
  return Math.min(1, 1.05 * wanted);
}

/** Targets of the tiers, equal ones on one line. */
function targetLines(evaluation: Evaluation): RiskCoverageData["targets"] {
  const values = [...new Set(evaluation.tiers.flatMap((t) => (t.targetRisk === null ? [] : [t.targetRisk])))];
  return values
    .toSorted((a, b) => a - b)
    .map((value) => {
      const tiers = evaluation.tiers.filter((t) => t.targetRisk === value).map((t) => t.tier);
      return { label: tiers.join(", "), value };
    });
}

/** The risk-coverage curve with its 95 % band, the targets, and the point that each tier's threshold chooses. */
export function riskCoverageView(evaluation: Evaluation): ChartView<RiskCoverageData> {
  const chosen = evaluation.tiers.flatMap((tier) => {
    const point = tier.threshold === null ? undefined : pointAt(evaluation.riskCoverage, tier.threshold);
    return point === undefined ? [] : [{ tier: tier.tier, point }];
  });
  const shown = thin(evaluation.riskCoverage, new Set(chosen.map((c) => c.point)));
  const effect = Math.max(1, evaluation.selectiveRisk.designEffect ?? 1);
  const rows = shown.map((point) => withBand(point, effect));
  const targets = targetLines(evaluation);
  const all = evaluation.riskCoverage.at(-1);
  const counted = effect > 1 ? ` Requests of one workflow are alike: ${effect.toFixed(2)} of them count as one.` : "";
  const thinned =
    shown.length < evaluation.riskCoverage.length
      ? ` ${formatCount(shown.length)} of ${formatCount(evaluation.riskCoverage.length)} points are shown.`
      : "";
  return {
    title: "Risk against coverage",
    caption:
      "Read from right to left: a stricter threshold accepts a smaller share of the requests (coverage), and a smaller " +
      "share of those should be wrong (selective risk). The shaded band is the 95 % Clopper-Pearson interval of each point by itself; a " +
      `dashed line is a target; a marker is where a tier's confidence threshold cuts the curve.${counted}${thinned}`,
    alt:
      all === undefined
        ? `Risk against coverage: ${noData}.`
        : `Step line of selective risk against coverage over ${formatCount(all.accepted)} requests. Accepting all of ` +
          `them gives ${formatCount(all.errors)} errors. The values are in the table below the chart.`,
    data:
      rows.length === 0
        ? null
        : {
            points: rows,
            targets,
            operatingPoints: chosen.map(({ tier, point }) => ({
              tier,
              coverage: point.coverage,
              risk: point.selectiveRisk,
            })),
            riskMax: topOfRisk(
              evaluation,
              rows,
              targets.map((t) => t.value),
            ),
          },
    table: {
      caption: "Points of the risk-coverage curve",
      columns: [
        { label: "Confidence at least", numeric: true },
        { label: "Accepted / requests", numeric: true },
        { label: "Wrong / accepted", numeric: true },
        { label: "Chosen by", numeric: false },
      ],
      rows: shown.map((point, index) => [
        formatExact(point.threshold),
        `${formatCount(point.accepted)}/${formatCount(Math.round(point.accepted / point.coverage))}`,
        formatProportionOf(point.errors, point.accepted, [rows[index]?.lower ?? 0, rows[index]?.upper ?? 1]),
        chosen
          .filter((c) => c.point === point)
          .map((c) => c.tier)
          .join(", "),
      ]),
    },
  };
}

/** The reliability diagram: stated confidence against the measured share of right answers, with 95 % Wilson bars. */
export function reliabilityView(evaluation: Evaluation): ChartView<ReliabilityData> {
  const bins = evaluation.reliability;
  const n = bins.reduce((sum, bin) => sum + bin.n, 0);
  return {
    title: "Reliability of the confidence",
    caption:
      "On the diagonal a confidence of 0.8 is right 8 times in 10. Points above it are too modest, points below it too " +
      "sure. The bars are 95 % Wilson intervals (for display, never for a verdict); the columns below count the " +
      `requests of each bin, ${formatCount(n)} in all. Bins without requests stay blank. Expected calibration error: ` +
      `${formatMeasured(evaluation.expectedCalibrationError)}.`,
    alt:
      n === 0
        ? `Reliability of the confidence: ${noData}.`
        : `Reliability diagram of ${formatCount(n)} requests in ${bins.length} bins, with the diagonal and a histogram ` +
          "of the counts. The values are in the table below the chart.",
    data: n === 0 ? null : { bins },
    table: {
      caption: "Bins of the reliability diagram",
      columns: [
        { label: "Confidence above", numeric: true },
        { label: "up to", numeric: true },
        { label: "Mean confidence", numeric: true },
        { label: "Right / requests", numeric: true },
      ],
      rows: bins.map((bin) => [
        formatProportion(bin.lower),
        formatProportion(bin.upper),
        formatProportion(bin.meanConfidence),
        formatProportionOf(bin.correct, bin.n, [bin.accuracyLower, bin.accuracyUpper]),
      ]),
    },
  };
}

/** Coverage and selective risk of every tier with intervals, and the target beside the risk. */
export function tierBarsView(evaluation: Evaluation, tiers: readonly TierView[]): ChartView<TierBarsData> {
  const ordered = riskTiers.flatMap((tier) => evaluation.tiers.filter((t) => t.tier === tier));
  const rows = ordered.flatMap((t) => [
    { tier: t.tier, measure: "coverage" as const, rate: t.routed, target: null },
    { tier: t.tier, measure: "selective risk" as const, rate: t.selectiveRisk, target: t.targetRisk },
  ]);
  return {
    title: "Coverage and selective risk by tier",
    caption:
      "Longer is better above, shorter is better below. The thin line is the interval, the upright mark the target: a " +
      "tier passes when the whole interval lies at or left of its mark.",
    alt:
      rows.length === 0
        ? `Coverage and selective risk by tier: ${noData}.`
        : "Two bar charts with intervals, coverage above and selective risk with its target below, one bar for each of " +
          `${ordered.map((t) => t.tier).join(", ")}. The values are in the table below the chart.`,
    data:
      rows.length === 0
        ? null
        : {
            rows: rows.map(({ rate, ...row }) => ({
              ...row,
              estimate: rate.estimate,
              lower: rate.lower,
              upper: rate.upper,
              absent: rate.n === 0 && row.measure === "selective risk" ? "nothing routed" : noData,
            })),
          },
    table: {
      caption: "Coverage and selective risk by tier",
      columns: [
        { label: "Tier", numeric: false },
        { label: "Coverage", numeric: true },
        { label: "Selective risk", numeric: true },
        { label: "Target", numeric: true },
        { label: "Verdict", numeric: false },
      ],
      rows: ordered.map((t) => [
        t.tier,
        formatRate(t.routed),
        formatRate(t.selectiveRisk),
        t.targetRisk === null ? "none" : `at most ${formatExact(t.targetRisk)}`,
        tiers.find((view) => view.tier === t.tier)?.verdict ?? "",
      ]),
    },
  };
}
