import type { Calibration } from "../domain/calibration.js";
import { SluiceError } from "../errors/error.js";
import { readsColumns } from "../policy/evidence-curve.js";
import type { ModelFiles } from "../retrieval/model-files.js";
import { parseVerifierModel } from "../verification/parse-verifier.js";

/**
 * Refuses a calibration that weighs evidence which its verifier does not read, or reads in another order.
 * @throws {SluiceError} CALIBRATION_INVALID; MODEL_INVALID
 */
export function requireEvidence({ calibrator }: Pick<Calibration, "calibrator">, verifierFiles: ModelFiles): void {
  const model = parseVerifierModel(verifierFiles);
  const features = "features" in model ? model.features : [];
  if (readsColumns(calibrator, features)) return;
  const message = `the columns of the calibration differ from those of the verifier ${model.version}`;
  throw new SluiceError("CALIBRATION_INVALID", message, {
    hint: "Fit the calibration again on a run of this verifier: sluice calibrate fit",
    details: { found: "columns" in calibrator ? calibrator.columns.map(({ name }) => name) : [], expected: features },
  });
}
