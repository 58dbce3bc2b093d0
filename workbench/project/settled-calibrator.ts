import type { CalibratorFamily } from "../../src/domain/calibrator.js";
import { SluiceError } from "../../src/errors/error.js";

/** A calibrator, where one was settled in advance; absent, the best is chosen. */
export interface SettledCalibrator {
  readonly calibrator?: CalibratorFamily;
}

/**
 * Runs with the calibrator that was settled in advance. So few or so hard requests that it cannot be fitted are no reason
 * to stop: another one is chosen then, as `sluice calibrate fit` does by itself.
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
