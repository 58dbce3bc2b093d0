import { oracle } from "../../support/oracle.js";

/** One case of the reference values of calibration metrics. */
export interface CalibrationCase {
  readonly name: string;
  readonly p: readonly number[];
  readonly y: readonly number[];
  readonly murphy10: { readonly brier: number };
  readonly "nll_clip1e-15": number;
}

export function calibrationCases(): readonly CalibrationCase[] {
  return oracle<{ cases: readonly CalibrationCase[] }>("calibration_metrics.json").cases;
}
