import type { CalibrationRow, LinearFit } from "./calibration-row.js";
import { fitLogistic, standardised } from "./logistic-regression.js";

/**
 * Platt scaling: confidence = logistic(slope * logit + intercept) with Platt's soft targets, which keep the optimum
 * finite on separable rows. Rows of a single class or with a single score give slope 0. A negative slope is rejected
 * because it would reverse the ranking.
 */
export function fitPlatt(rows: readonly CalibrationRow[]): LinearFit {
  if (rows.length === 0) return { fitted: false, reason: "there are no rows" };
  const total = rows.reduce((sum, r) => sum + r.weight, 0);
  const positive = rows.reduce((sum, r) => sum + (r.right ? r.weight : 0), 0);
  const negative = total - positive;
  const targetOf = (right: boolean) => (right ? (positive + 1) / (positive + 2) : 1 / (negative + 2));

  const { feature, mean, spread } = standardised(rows.map((r) => r.logit));
  const classes = new Set(rows.map((r) => r.right)).size;
  if (classes === 1 || spread === 0) {
    const target = rows.reduce((sum, r) => sum + r.weight * targetOf(r.right), 0) / total;
    return { fitted: true, slope: 0, intercept: Math.log(target / (1 - target)) };
  }

  const line = fitLogistic(
    {
      features: [feature, new Float64Array(rows.length).fill(1)],
      target: Float64Array.from(rows, (r) => targetOf(r.right)),
      weight: Float64Array.from(rows, (r) => r.weight),
      ridge: [0, 0],
    },
    [0, Math.log((positive + 1) / (negative + 1))],
  );
  const [standardSlope, centre] = line ?? [];
  if (standardSlope === undefined || centre === undefined) return { fitted: false, reason: "the fit did not converge" };
  if (standardSlope < 0) return { fitted: false, reason: "the scores decrease with correctness" };
  const slope = standardSlope / spread;
  return { fitted: true, slope, intercept: centre - slope * mean };
}
