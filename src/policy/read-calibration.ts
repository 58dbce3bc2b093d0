import { type Calibration, CalibrationSchema } from "../domain/calibration.js";
import { toCamel } from "../domain/camel.js";
import { checkSchema } from "../domain/check-schema.js";
import { requireValidCalibration } from "./require-valid-calibration.js";

/**
 * A calibration document after its checks.
 * @param what  how the reader knows the document, e.g. a file path
 * @throws {SluiceError} SCHEMA_INVALID, CALIBRATION_INVALID
 */
export function readCalibrationDocument(document: unknown, what: string): Calibration {
  return requireValidCalibration(toCamel(checkSchema(CalibrationSchema, document, what)), what);
}
