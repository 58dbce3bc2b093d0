import type { CalibratorFamily } from "../../src/domain/calibrator.js";
import { SluiceError } from "../../src/errors/error.js";

/** A calibrator fixed in advance; by default the best is chosen. */
export interface SettledCalibrator {
  readonly calibrator?: CalibratorFamily;
}

/**
 * Runs with the calibrator that was fixed in advance. Where it cannot be fitted, because requests are few or hard,
 * another is chosen, as in `sluice calibrate fit` by default.
 */
export async function withCalibrator<T>(
  { calibrator }: SettledCalibrator,
  run: (settled: SettledCalibrator) => Promise<T>,
): Promise<T> {
  if (calibrator === undefined) return run({});
  return run({ calibrator }).catch((thrown: unknown) => {
    if (!(thrown instanceof SluiceError) || thrown.code !== "FIT_FAILED") throw thrown;
    return run({});
  });
}
