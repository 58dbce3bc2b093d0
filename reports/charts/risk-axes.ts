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
