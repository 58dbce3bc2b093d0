import type { TopLevelSpec } from "vega-lite";
import { coverageAxis, riskAxis, type RiskCoverageRow, withinAxis } from "./risk-coverage.js";
import { chartConfig, colour } from "./theme.js";

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

const width = 240;
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
  const x = coverageAxis;
  const risk = riskAxis(data.riskMax, 5);
  const points = withinAxis(data.points, data.riskMax);
  const certified = points.filter(({ coverage }) => data.certifiedTo !== null && coverage <= data.certifiedTo);
  const marks = marksOf(data);
  return {
    width,
    height,
    config: chartConfig,
    layer: [
      {
        data: { values: points },
        mark: { type: "area", interpolate: "step-before", color: colour.band },
        encoding: { x, y: { field: "lower", ...risk }, y2: { field: "upper" } },
      },
      {
        data: { values: data.target === null ? [] : [{ value: data.target }] },
        mark: { type: "rule", strokeDash: [6, 4], strokeWidth: 1.5, color: colour.target },
        encoding: { y: { field: "value", ...risk } },
      },
      {
        data: { values: points },
        mark: { type: "line", interpolate: "step-before", color: colour.data, strokeWidth: 1.4 },
        encoding: { x, y: { field: "risk", ...risk } },
      },
      {
        data: { values: certified },
        mark: { type: "line", interpolate: "step-before", color: colour.data, strokeWidth: 4 },
        encoding: { x, y: { field: "risk", ...risk } },
      },
      {
        data: { values: marks },
        mark: { type: "point", fill: colour.paper, stroke: colour.ink, strokeWidth: 1.8, size: 100, opacity: 1 },
        encoding: {
          x,
          y: { field: "risk", ...risk },
          shape: {
            field: "name",
            type: "nominal" as const,
            title: null,
            scale: { domain: ["in force", "first failed test"], range: ["circle", "cross"] },
          },
        },
      },
    ],
  };
}
