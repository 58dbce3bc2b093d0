import { type Calibration, CalibrationSchema } from "../../documents/calibration.js";
import { checkSchema } from "../../documents/check-schema.js";
import { riskTiers } from "../../documents/choices.js";
import { command, say, SluiceError } from "../../base/error.js";

/**
 * Reads and checks a calibration document.
 * @param what  name of the document in messages, e.g. a file path
 * @throws {SluiceError} DOCUMENT_INVALID, CALIBRATION_INVALID
 */
export function readCalibrationDocument(document: unknown, what: string): Calibration {
  return requireValidCalibration(checkSchema(CalibrationSchema, document, what), what);
}

/**
 * Checks rules of a calibration that its schema cannot express. A tier has both thresholds or none, and neither
 * threshold decreases from a tier to one of higher risk; abstaining tiers impose no limit. Certified workflows are in
 * ascending order, because `decide()` uses binary search. Shortlists have both thresholds if they are certified, and
 * none otherwise.
 * @param what  name of the document in messages, e.g. a file path
 * @throws {SluiceError} CALIBRATION_INVALID with every problem
 */
export function requireValidCalibration(calibration: Calibration, what: string): Calibration {
  const problems: string[] = [];
  let lower = { confidence: 0, margin: 0 };
  for (const tier of riskTiers) {
    const { confidence, margin } = calibration.tiers[tier];
    if ((confidence === null) !== (margin === null)) problems.push(`tier ${tier} has only one of its two thresholds`);
    if (confidence === null || margin === null) continue;
    if (confidence < lower.confidence) problems.push(`the confidence threshold falls to ${confidence} in tier ${tier}`);
    if (margin < lower.margin) problems.push(`the margin threshold falls to ${margin} in tier ${tier}`);
    lower = { confidence, margin };
  }
  const listed = calibration.certified_workflows ?? [];
  if (listed.some((id, i) => i > 0 && (listed[i - 1] as string) >= id)) {
    problems.push("the certified workflows are not in ascending order");
  }
  problems.push(...shortlistProblems(calibration));
  if (problems.length === 0) return calibration;
  throw new SluiceError("CALIBRATION_INVALID", `${what}: ${problems.join("; ")}`, {
    hint: say`Fit the calibration again: ${command`sluice calibrate fit`}`,
    details: { problems },
  });
}

function shortlistProblems({ shortlist }: Calibration): readonly string[] {
  if (shortlist === undefined) return [];
  const { certified, entry, share } = shortlist;
  if ((entry !== null) === certified && (share !== null) === certified) return [];
  return ["the shortlist is certified without its two thresholds, or has one without being certified"];
}
