import type { TopLevelSpec } from "vega-lite";
import type { Calibration, Claim } from "../../src/documents/calibration.js";
import { type RiskTier, riskTiers } from "../../src/documents/choices.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { counted, formatCount, formatRate, noData } from "../../src/documents/number-text.js";
import { type ChartView, num, reportTable } from "../blocks.js";
import type { ReportedRequest } from "../reported-request.js";
import type { RiskCoverageRow } from "./risk-coverage.js";
import { bandAndTargets, bandAt, bandEffect, coverageAxis, riskAxis, stepLine, withinAxis } from "./risk-coverage.js";
import { chartConfig, markedPoint, markShapes, plotWidth } from "./theme.js";

/** Risk against coverage of one tier; all in [0, 1]. */
export interface TierCurveData {
  /** Points by ascending coverage. */
  readonly points: readonly RiskCoverageRow[];
  readonly target: number | null;
  /** Coverage up to which the claim is certified; null if it is not certified. */
  readonly certifiedTo: number | null;
  /** Operating point of the active threshold on this fold; null for a tier that abstains. */
  readonly operating: { readonly coverage: number; readonly risk: number } | null;
  /** Operating point of the first rejected threshold on this fold. */
  readonly firstFailed: { readonly coverage: number; readonly risk: number } | null;
  /** Top of the risk axis, in (0, 1]. */
  readonly riskMax: number;
}

/** Maximum number of points per curve that are drawn and listed. */
const drawnPoints = 60;

/**
 * Minimum number of accepted requests for a point to affect the height of the chart; below it, the error share varies
 * too much.
 */
const steadyAccepted = 20;

interface CurvePoint extends RiskCoverageRow {
  readonly confidence: number;
  readonly accepted: number;
  readonly wrong: number;
}

/** Results of each confidence threshold, strictest first; one point per distinct confidence. */
function curveOf(requests: readonly ReportedRequest[], designEffect: number | null): readonly CurvePoint[] {
  const ordered = requests.filter(({ routable }) => routable).sort((a, b) => b.confidence - a.confidence);
  const points: CurvePoint[] = [];
  let wrong = 0;
  for (const [index, request] of ordered.entries()) {
    if (!request.firstIsRight) wrong += 1;
    if (ordered[index + 1]?.confidence === request.confidence) continue;
    const accepted = index + 1;
    points.push({
      confidence: request.confidence,
      accepted,
      wrong,
      coverage: accepted / requests.length,
      risk: wrong / accepted,
      ...bandAt(wrong, accepted, designEffect),
    });
  }
  return points;
}

/** Thins a curve to evenly spread points, including its ends. */
function thin(points: readonly CurvePoint[]): readonly CurvePoint[] {
  if (points.length <= drawnPoints) return points;
  const step = (points.length - 1) / (drawnPoints - 1);
  const indexes = new Set(Array.from({ length: drawnPoints }, (_, index) => Math.round(index * step)));
  return points.filter((_, index) => indexes.has(index));
}

/** The claim whose test chose the threshold of a tier: the tier's own claim, otherwise the overall claim. */
function claimOf(calibration: Calibration | null, tier: RiskTier): Claim | undefined {
  const claims = calibration?.claims.filter(({ tiers }) => tiers.includes(tier)) ?? [];
  return claims.find(({ scope }) => scope === tier) ?? claims.find(({ scope }) => scope === "overall");
}

/** Last point whose requests a threshold accepts; undefined if it accepts none. */
const pointAt = (curve: readonly CurvePoint[], threshold: number): CurvePoint | undefined =>
  curve.findLast(({ confidence }) => confidence >= threshold);

/** Test steps of a claim. A claim over several tiers applies to a tier only if the tier uses its threshold. */
function traceOf(tier: RiskTier, claim: Claim | undefined, threshold: number | null): Claim["trace"] {
  if (claim === undefined) return [];
  const shared = claim.trace.some(({ confidence, passed }) => passed && confidence === threshold);
  return claim.scope === tier || shared ? claim.trace : [];
}

/** Top of the risk axis: above the target and the steady part of the curve. */
function topOf(curve: readonly CurvePoint[], target: number): number {
  const steady = curve.reduce((top, point) => (point.accepted < steadyAccepted ? top : Math.max(top, point.risk)), 0);
  return Math.min(1, 1.1 * Math.max(0.02, 1.5 * target, curve.at(-1)?.upper ?? 0, steady));
}

function dataOf(tier: RiskTier, curve: readonly CurvePoint[], claim: Claim | undefined, threshold: number | null) {
  const failed = traceOf(tier, claim, threshold).find(({ passed }) => !passed);
  const mark = (confidence: number | undefined) => {
    const point = confidence === undefined ? undefined : pointAt(curve, confidence);
    return point === undefined ? null : { coverage: point.coverage, risk: point.risk };
  };
  const operating = threshold === null ? null : mark(threshold);
  return {
    points: thin(curve).map(({ coverage, risk, lower, upper }) => ({ coverage, risk, lower, upper })),
    target: claim?.target_risk ?? null,
    certifiedTo: operating === null || claim?.certified !== true ? null : operating.coverage,
    operating,
    firstFailed: mark(failed?.confidence),
    riskMax: topOf(curve, claim?.target_risk ?? 0),
  };
}

function viewOf(
  tier: RiskTier,
  input: TierCurvesInput,
  requests: readonly ReportedRequest[],
): ChartView<TierCurveData> {
  const measured = input.evaluation.tiers.find((each) => each.tier === tier);
  const curve = curveOf(requests, measured === undefined ? null : bandEffect(measured.selective_risk));
  const threshold = measured?.threshold ?? null;
  const title = `Tier ${tier}`;
  return {
    title,
    caption: `${counted(requests.length, "request")}; ${threshold === null ? "abstains" : `threshold ${String(threshold)}`}`,
    alt:
      `Selective risk against coverage in tier ${tier}, ${counted(requests.length, "request")}. ` +
      "The values are in the table below the chart.",
    data: curve.length === 0 ? null : dataOf(tier, curve, claimOf(input.calibration, tier), threshold),
    table: reportTable(
      `${title}: risk at each coverage`,
      [num("Confidence at least"), num("Accepted / requests"), num("Wrong / accepted")],
      thin(curve).map(({ confidence, accepted, wrong, lower, upper }) => [
        confidence.toFixed(4),
        `${formatCount(accepted)}/${formatCount(requests.length)}`,
        accepted === 0 ? noData : formatRate({ k: wrong, n: accepted, lower, upper }),
      ]),
    ),
  };
}

interface TierCurvesInput {
  readonly evaluation: Evaluation;
  readonly calibration: Calibration | null;
  readonly requests?: readonly ReportedRequest[];
}

/**
 * Risk against coverage for each tier of a top candidate. The curve includes only requests that every rule other than
 * the confidence threshold routes, so the mark of the threshold is the actual result of the tier.
 */
export function tierCurveViews(input: TierCurvesInput): readonly ChartView<TierCurveData>[] {
  return riskTiers.flatMap((tier) => {
    const requests = (input.requests ?? []).filter((request) => request.tier === tier);
    return requests.length === 0 ? [] : [viewOf(tier, input, requests)];
  });
}

const height = 190;

/** Marks with their names, so that they can be distinguished by shape and text. */
function marksOf({ operating, firstFailed, riskMax }: TierCurveData) {
  const named = [
    { name: "in force", at: operating },
    { name: "first failed test", at: firstFailed },
  ];
  return named.flatMap(({ name, at }) =>
    at === null ? [] : [{ name, coverage: at.coverage, risk: Math.min(at.risk, riskMax) }],
  );
}

/**
 * Step line of selective risk against coverage of one tier with its band; the certified part is a thick line, the
 * target is dashed, and the active threshold and the first failed test are marked.
 */
export function tierCurveSpec(data: TierCurveData): TopLevelSpec {
  const risk = riskAxis(data.riskMax, 5);
  const points = withinAxis(data.points, data.riskMax);
  const certified = points.filter(({ coverage }) => data.certifiedTo !== null && coverage <= data.certifiedTo);
  const marks = marksOf(data);
  return {
    width: plotWidth,
    height,
    config: chartConfig,
    layer: [
      ...bandAndTargets(points, data.target === null ? [] : [{ value: data.target }], risk),
      stepLine(points, risk, 1.4),
      stepLine(certified, risk, 4),
      {
        data: { values: marks },
        mark: markedPoint,
        encoding: {
          x: coverageAxis,
          y: { field: "risk", ...risk },
          shape: markShapes(["in force", "first failed test"]),
        },
      },
    ],
  };
}
