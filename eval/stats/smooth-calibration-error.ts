import type { ScoreTable } from "./score-table.js";

/** Smooth calibration error and the bandwidth at which it was found. */
export interface SmoothCalibrationError {
  readonly value: number;
  readonly bandwidth: number;
}

const finestMesh = 1000;
const coarsestMesh = 50;
/** Mesh points per bandwidth that are enough for a resample. */
const pointsPerBandwidth = 10;
const narrowest = 1e-4;
const mostSteps = 100;
const precision = 1e-10;
/** The kernel is cut off at this many bandwidths. */
const reach = 7;

/**
 * Smooth calibration error (Blasiok and Nakkiran 2023): the residuals p - y, smoothed with a Gaussian that is reflected
 * at 0 and 1, at the scale where the mean absolute smoothed residual equals its own bandwidth. No bins, so no jump when
 * a probability crosses an edge. Residuals are spread linearly on a mesh of 1,001 points. null without rows.
 */
export function smoothCalibrationError(table: ScoreTable): SmoothCalibrationError | null {
  if (table.totalRows === 0) return null;
  const residuals = residualsOnMesh(table, finestMesh);
  const bandwidth = fixedPoint((scale) => smoothedError(residuals, scale), calibrationErrorAt(table, 1));
  return { value: smoothedError(residuals, bandwidth), bandwidth };
}

/**
 * The bandwidth in [1e-4, 1] at which a falling function of it equals it, by false position in which the end that
 * stays counts half, so that neither end can stay for long. 1e-4 where the function is below it everywhere.
 * @param errorAtOne  the function at 1; it need not be precise
 */
function fixedPoint(errorAt: (bandwidth: number) => number, errorAtOne: number): number {
  let low = { at: narrowest, excess: errorAt(narrowest) - narrowest };
  if (low.excess <= 0) return narrowest;
  let high = { at: 1, excess: errorAtOne - 1 };
  for (let step = 0; step < mostSteps && high.at - low.at > precision; step += 1) {
    const at = (low.at * high.excess - high.at * low.excess) / (high.excess - low.excess);
    const excess = errorAt(at) - at;
    if (Math.abs(excess) <= precision) return at;
    if (excess > 0) {
      low = { at, excess };
      high = { at: high.at, excess: high.excess / 2 };
    } else {
      high = { at, excess };
      low = { at: low.at, excess: low.excess / 2 };
    }
  }
  return high.at;
}

/**
 * The smoothed error at a given bandwidth, which is what a resample is measured at; the mesh has 10 points per
 * bandwidth, between 50 and 1,000. 0 without rows.
 * @param bandwidth  in (0, 1]
 */
export function calibrationErrorAt(table: ScoreTable, bandwidth: number): number {
  if (table.totalRows === 0) return 0;
  const steps = Math.min(finestMesh, Math.max(coarsestMesh, Math.ceil(pointsPerBandwidth / bandwidth)));
  return smoothedError(residualsOnMesh(table, steps), bandwidth);
}

/** (sum of p - y) / n at each point of the mesh. */
function residualsOnMesh(table: ScoreTable, steps: number): Float64Array {
  const residuals = new Float64Array(steps + 1);
  for (let block = table.scores.length - 1; block >= 0; block -= 1) {
    const p = table.scores[block];
    const residual = (table.rows[block] * p - table.events[block]) / table.totalRows;
    const left = Math.min(steps - 1, Math.floor(p * steps));
    const share = p * steps - left;
    residuals[left] += residual * (1 - share);
    residuals[left + 1] += residual * share;
  }
  return residuals;
}

/** Integral over [0, 1] of the absolute smoothed residual, by trapezoid. */
function smoothedError(residuals: Float64Array, bandwidth: number): number {
  const steps = residuals.length - 1;
  const kernel = gaussian(bandwidth, steps);
  const extended = reflected(residuals, kernel.length - 1);
  let total = 0;
  for (let t = 0; t <= steps; t += 1) {
    const centre = t + kernel.length - 1;
    let smoothed = extended[centre] * kernel[0];
    for (let distance = 1; distance < kernel.length; distance += 1) {
      const both = extended[centre - distance] + extended[centre + distance];
      smoothed += both * kernel[distance];
    }
    total += Math.abs(smoothed) * (t === 0 || t === steps ? 0.5 : 1);
  }
  return total / steps;
}

/** Half of the kernel on the mesh, from distance 0; its mass on the mesh is 1 even when it is narrower than the mesh. */
function gaussian(bandwidth: number, steps: number): Float64Array {
  const kernel = new Float64Array(1 + Math.ceil(reach * bandwidth * steps));
  let mass = 0;
  for (let distance = 0; distance < kernel.length; distance += 1) {
    const height = Math.exp(-((distance / steps) ** 2) / (2 * bandwidth ** 2));
    kernel[distance] = height;
    mass += distance === 0 ? height : 2 * height;
  }
  return kernel.map((height) => (height * steps) / mass);
}

/** The residuals with `margin` mirrored points at each end; the end points are their own mirror and count twice. */
function reflected(residuals: Float64Array, margin: number): Float64Array {
  const steps = residuals.length - 1;
  const extended = new Float64Array(residuals.length + 2 * margin);
  for (let i = 0; i < extended.length; i += 1) {
    const turn = Math.abs(i - margin) % (2 * steps);
    const source = turn <= steps ? turn : 2 * steps - turn;
    const twice = source === 0 || source === steps ? 2 : 1;
    extended[i] = twice * residuals[source];
  }
  return extended;
}
