import { logistic } from "../../src/router/policy/calibrator-curve.js";
import type { CalibrationRow, LinearFit } from "./calibration-row.js";

const lowest = 1e-3;
const highest = 1e3;
const gradientStop = 1e-10;
const maximumSteps = 200;

/**
 * Temperature scaling: confidence = logistic(slope * logit), slope = 1 / temperature, by maximum likelihood. The
 * derivative of the loss, sum of weight * logit * (logistic(slope * logit) - right), rises with the slope; its root is
 * found by Newton steps safeguarded by bisection on [1e-3, 1e3]. Not fitted if correctness does not rise with the
 * logits, or on separable rows, which have no finite optimum.
 */
export function fitTemperature(rows: readonly CalibrationRow[]): LinearFit {
  const logits = Float64Array.from(rows, ({ logit }) => logit);
  const weights = Float64Array.from(rows, ({ weight }) => weight);
  const right = Uint8Array.from(rows, (row) => (row.right ? 1 : 0));
  const derivative = (slope: number): number => {
    let sum = 0;
    for (let i = 0; i < logits.length; i += 1) {
      sum += weights[i] * logits[i] * (logistic(slope * logits[i]) - right[i]);
    }
    return sum;
  };
  const curvature = (slope: number): number => {
    let sum = 0;
    for (let i = 0; i < logits.length; i += 1) {
      const p = logistic(slope * logits[i]);
      sum += weights[i] * logits[i] * logits[i] * p * (1 - p);
    }
    return sum;
  };

  if (!(derivative(lowest) < 0)) return { fitted: false, reason: "the scores do not increase with correctness" };
  if (!(derivative(highest) > 0)) return { fitted: false, reason: "the scores separate right from wrong perfectly" };

  const scale = Math.max(
    1,
    rows.reduce((sum, r) => sum + r.weight, 0),
  );
  let low = lowest;
  let high = highest;
  let slope = 1;
  for (let step = 0; step < maximumSteps; step += 1) {
    const gradient = derivative(slope);
    if (Math.abs(gradient) <= gradientStop * scale || high - low <= Number.EPSILON * slope) break;
    if (gradient < 0) low = slope;
    else high = slope;
    const newton = slope - gradient / curvature(slope);
    slope = newton > low && newton < high ? newton : (low + high) / 2;
  }
  return { fitted: true, slope, intercept: 0 };
}
