import type { CalibratorCurve } from "../src/domain/calibrator.js";
import type { ScoredRecord } from "../src/domain/scored-record.js";
import { SluiceError } from "../src/errors/error.js";
import { calibratorFamilies } from "./calibrator-families.js";
import { calibrationRows } from "./calibrators/calibration-row.js";
import { type CalibratorChoice, chooseCalibrator, foldOfCluster } from "./choose-calibrator.js";
import { type RoutableRow, routableRows } from "./routable.js";
import { lowestRetrievalScore } from "./retrieval-floor.js";

export interface CrossFit extends CalibratorChoice {
  readonly minRetrievalScore: number;
  /** Rows that order the thresholds: labels are hidden, so that the order cannot depend on them. */
  readonly tune: readonly RoutableRow[];
  /** Rows of the tests: each with a confidence that its own label had no part in. */
  readonly certify: readonly RoutableRow[];
}

/**
 * Learns and tests on the same requests: the clusters are cut into parts, each part's confidences come from a calibrator
 * of the same family that was fitted on the other parts, and thresholds are tested from few routed requests to many. The
 * calibrator that ships is fitted on all parts; the tests speak about it as far as it equals those of the parts.
 *
 * @param parts  integer, at least 2
 * @param outOfScopeShare  declared share of out-of-scope requests, reweights the fits
 * @throws {SluiceError} FIT_FAILED  the chosen family cannot be fitted without one of the parts
 */
export function crossFit(
  records: readonly ScoredRecord[],
  parts: number,
  outOfScopeShare: number | undefined,
): CrossFit {
  const choice = chooseCalibrator(calibrationRows(records, outOfScopeShare));
  const minRetrievalScore = lowestRetrievalScore(records);
  const partOf = foldOfCluster(records, parts);
  const certify = Array.from({ length: parts }, (_, part) => {
    const inside = records.filter(({ cluster }) => partOf.get(cluster) === part);
    const others = records.filter(({ cluster }) => partOf.get(cluster) !== part);
    const curve = curveOf(choice.calibrator.family, others, outOfScopeShare);
    return routableRows(inside, curve, minRetrievalScore);
  }).flat();
  return { ...choice, minRetrievalScore, tune: certify.map((row) => ({ ...row, error: false })), certify };
}

function curveOf(
  name: CalibratorCurve["family"],
  records: readonly ScoredRecord[],
  outOfScopeShare: number | undefined,
): CalibratorCurve {
  const fit = calibratorFamilies.find(({ family }) => family === name)?.fit(calibrationRows(records, outOfScopeShare));
  if (fit?.fitted === true) return fit.curve;
  throw new SluiceError("FIT_FAILED", `the calibrator ${name} cannot be fitted without one part of the requests`, {
    hint: "Leave the cross-fit out, or give TUNE and CERTIFY more workflows.",
  });
}
