import { SluiceError } from "../../src/errors/error.js";
import type { CalibrationRow, CalibratorFit } from "./calibration-row.js";
import { logistic, logLoss } from "./logistic.js";

const gradientStop = 1e-10;
const maximumIterations = 100;
/** The loss may rise by this share: below it, differences of the loss are rounding. */
const lossSlack = 1e-12;

interface TargetRow {
  /** Standardised logit. */
  readonly z: number;
  readonly target: number;
  readonly weight: number;
}

interface Line {
  readonly slope: number;
  readonly intercept: number;
}

const lossOf = (rows: readonly TargetRow[], line: Line): number =>
  rows.reduce((sum, r) => sum + r.weight * logLoss(line.slope * r.z + line.intercept, r.target), 0);

/** Newton direction of the weighted loss and the largest entry of its gradient. */
function newtonStep(rows: readonly TargetRow[], line: Line): { readonly step: Line; readonly gradient: number } {
  let [g1, g0, h11, h10, h00] = [0, 0, 0, 0, 0];
  for (const { z, target, weight } of rows) {
    const p = logistic(line.slope * z + line.intercept);
    const residual = weight * (p - target);
    const curvature = weight * p * (1 - p);
    g1 += residual * z;
    g0 += residual;
    h11 += curvature * z * z;
    h10 += curvature * z;
    h00 += curvature;
  }
  const determinant = h11 * h00 - h10 * h10;
  return {
    step: { slope: (h00 * g1 - h10 * g0) / determinant, intercept: (h11 * g0 - h10 * g1) / determinant },
    gradient: Math.max(Math.abs(g1), Math.abs(g0)),
  };
}

function minimise(rows: readonly TargetRow[], start: Line): Line {
  let line = start;
  for (let iteration = 0; iteration < maximumIterations; iteration += 1) {
    const { step, gradient } = newtonStep(rows, line);
    if (gradient <= gradientStop) return line;
    const loss = lossOf(rows, line);
    let size = 1;
    let next = line;
    do {
      next = { slope: line.slope - size * step.slope, intercept: line.intercept - size * step.intercept };
      size /= 2;
    } while (!(lossOf(rows, next) <= loss + lossSlack * Math.abs(loss)) && size > 1e-9);
    line = next;
  }
  throw new SluiceError("FIT_FAILED", `Platt scaling did not converge in ${maximumIterations} Newton steps`, {
    hint: "Check the verifier's scores for values that are not finite.",
  });
}

/**
 * Platt scaling: confidence = logistic(slope * logit + intercept) with Platt's soft targets, which keep the optimum
 * finite on separable rows. One class only, or one score only, gives slope 0. A negative slope is refused: it would
 * reverse the ranking.
 * @throws {SluiceError} FIT_FAILED  when the Newton iteration does not converge
 */
export function fitPlatt(rows: readonly CalibrationRow[]): CalibratorFit {
  if (rows.length === 0) return { fitted: false, reason: "there are no rows" };
  const total = rows.reduce((sum, r) => sum + r.weight, 0);
  const positive = rows.reduce((sum, r) => sum + (r.right ? r.weight : 0), 0);
  const negative = total - positive;
  const targetOf = (right: boolean) => (right ? (positive + 1) / (positive + 2) : 1 / (negative + 2));

  const mean = rows.reduce((sum, r) => sum + r.logit, 0) / rows.length;
  const spread = Math.sqrt(rows.reduce((sum, r) => sum + (r.logit - mean) ** 2, 0) / rows.length);
  const classes = new Set(rows.map((r) => r.right)).size;
  if (classes === 1 || spread === 0) {
    const target = rows.reduce((sum, r) => sum + r.weight * targetOf(r.right), 0) / total;
    return { fitted: true, slope: 0, intercept: Math.log(target / (1 - target)) };
  }

  const standardised = rows.map((r) => ({
    z: (r.logit - mean) / spread,
    target: targetOf(r.right),
    weight: r.weight,
  }));
  const start = { slope: 0, intercept: Math.log((positive + 1) / (negative + 1)) };
  const line = minimise(standardised, start);
  if (line.slope < 0) return { fitted: false, reason: "the scores fall with being right" };
  const slope = line.slope / spread;
  return { fitted: true, slope, intercept: line.intercept - slope * mean };
}
