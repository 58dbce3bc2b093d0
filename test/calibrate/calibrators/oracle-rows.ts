import type { CalibrationRow } from "../../../calibrate/calibrators/calibration-row.js";

/** Rows of weight 1, each its own cluster, from parallel arrays of an oracle. */
export function oracleRows(z: readonly number[], y: readonly number[]): readonly CalibrationRow[] {
  return z.map((logit, i) => ({ logit, right: y[i] === 1, weight: 1, cluster: `c${i}` }));
}
