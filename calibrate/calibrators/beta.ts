import { softplus } from "../../src/policy/calibrator-curve.js";
import type { CalibrationRow, CurveFit } from "./calibration-row.js";
import { fitLogistic } from "./logistic-regression.js";

type Shape = "both" | "lower" | "upper";

/** Coefficients (a, b, c) with the left-out shape at 0; null without a finite optimum. */
function coefficientsOf(rows: readonly CalibrationRow[], shape: Shape): readonly [number, number, number] | null {
  const logOfMatch = Float64Array.from(rows, (r) => -softplus(-r.logit));
  const logOfMismatch = Float64Array.from(rows, (r) => softplus(r.logit));
  const features = shape === "both" ? [logOfMatch, logOfMismatch] : shape === "lower" ? [logOfMatch] : [logOfMismatch];
  const found = fitLogistic(
    {
      features: [...features, new Float64Array(rows.length).fill(1)],
      target: Float64Array.from(rows, (r) => (r.right ? 1 : 0)),
      weight: Float64Array.from(rows, (r) => r.weight),
      ridge: [...features.map(() => 0), 0],
    },
    [...features.map(() => 0), 0],
  );
  if (found === null) return null;
  const [first = 0, second = 0, third = 0] = found;
  if (shape === "both") return [first, second, third];
  return shape === "lower" ? [first, 0, second] : [0, first, second];
}

/**
 * Beta calibration: confidence = logistic(a * ln p - b * ln(1 - p) + c) of p = logistic(logit), by maximum likelihood
 * (Kull, Silva Filho and Flach 2017). A negative a is left out of the fit, else a negative b, so that the curve never
 * falls. Refused when that is not enough and on separable rows.
 */
export function fitBeta(rows: readonly CalibrationRow[]): CurveFit {
  const all = rows.length === 0 ? null : coefficientsOf(rows, "both");
  if (all === null) return { fitted: false, reason: "the rows have no finite optimum" };
  const shape = all[0] < 0 ? "upper" : all[1] < 0 ? "lower" : "both";
  const [a, b, c] = shape === "both" ? all : (coefficientsOf(rows, shape) ?? [0, 0, 0]);
  if (a < 0 || b < 0 || a + b === 0) return { fitted: false, reason: "the scores do not increase with correctness" };
  return { fitted: true, curve: { family: "beta", a, b, c } };
}
