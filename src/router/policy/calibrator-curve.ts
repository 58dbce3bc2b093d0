import type { CalibratorCurve } from "../../documents/calibrator.js";
import { featureLogit } from "./feature-curve.js";
import type { RequestFeatures } from "./request-features.js";

/** Logistic function 1 / (1 + exp(-t)), stable for large |t|. */
export function logistic(t: number): number {
  if (t >= 0) return 1 / (1 + Math.exp(-t));
  const e = Math.exp(t);
  return e / (1 + e);
}

/** Number of values strictly below z in an ascending list. */
function countBelow(values: readonly number[], z: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) < z) low = middle + 1;
    else high = middle;
  }
  return low;
}

function interpolated(xs: readonly number[], ys: readonly number[], z: number): number {
  const above = countBelow(xs, z);
  if (above === 0) return ys[0] as number;
  if (above === xs.length) return ys[above - 1] as number;
  const [x0, x1] = [xs[above - 1] as number, xs[above] as number];
  const [y0, y1] = [ys[above - 1] as number, ys[above] as number];
  return y0 + (y1 - y0) * ((z - x0) / (x1 - x0));
}

/**
 * Calibrated probability that a candidate is right, in [0, 1], not rounded. It is non-decreasing in the logit. Fitting,
 * evaluation and serving all compute confidences with this function.
 *
 * @param z  match logit of the candidate
 * @param features  of its request; only the three feature families use them
 */
export function curveAt(curve: CalibratorCurve, z: number, features: RequestFeatures): number {
  if ("slope" in curve) return logistic(curve.slope * z + curve.intercept);
  switch (curve.family) {
    case "isotonic":
      return interpolated(curve.logits, curve.confidences, z);
    case "request-features":
    case "verifier-features":
    case "catalog-features":
      return logistic(featureLogit(curve, z, features));
  }
}
