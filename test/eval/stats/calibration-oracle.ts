import { oracle } from "../../support/oracle.js";

/** One case of the reference values of calibration metrics. */
export interface CalibrationCase {
  readonly name: string;
  readonly p: readonly number[];
  readonly y: readonly number[];
  readonly murphy10: {
    readonly brier: number;
    readonly reliability: number;
    readonly resolution: number;
    readonly uncertainty: number;
    readonly within_bin_variance: number;
    readonly within_bin_covariance: number;
    readonly bss: number | null;
  };
  readonly corp_brier: { readonly score: number; readonly mcb: number; readonly dsc: number; readonly unc: number };
  readonly "nll_clip1e-15": number;
  readonly smece_fixed_point_exact: { readonly sigma: number; readonly value: number };
  readonly spiegelhalter_z: number | null;
}

export function calibrationCases(): readonly CalibrationCase[] {
  return oracle<{ cases: readonly CalibrationCase[] }>("calibration_metrics.json").cases;
}
