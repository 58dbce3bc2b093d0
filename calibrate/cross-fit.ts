import type { ScoredRecord } from "../src/domain/scored-record.js";
import { calibrationRows } from "./calibrators/calibration-row.js";
import {
  type CalibratorChoice,
  type CalibratorOptions,
  chooseCalibrator,
  curveOfFamily,
  foldOfCluster,
} from "./choose-calibrator.js";
import { type RoutableRow, routableRows } from "./routable.js";
import { lowestRetrievalScore } from "./retrieval-floor.js";

export interface CrossFit extends CalibratorChoice {
  readonly minRetrievalScore: number;
  /** Rows that order the thresholds: labels are hidden, so that the order cannot depend on them. */
  readonly tune: readonly RoutableRow[];
  /** Rows of the tests: each with a confidence that its own label had no part in. */
  readonly certify: readonly RoutableRow[];
}

/** Part of a record: by its cluster, or dealt out by request where a part must know every workflow. */
function partsOf(records: readonly ScoredRecord[], parts: number, byRequest: boolean) {
  if (byRequest) return (_: ScoredRecord, index: number): number => index % parts;
  const partOf = foldOfCluster(records, parts);
  return ({ cluster }: ScoredRecord): number => partOf.get(cluster) ?? 0;
}

export interface CrossFitOptions extends Pick<CalibratorOptions, "family"> {
  /** Integer, at least 2. */
  readonly parts: number;
  /** Declared share of out-of-scope requests, reweights the fits. */
  readonly outOfScopeShare: number | undefined;
}

/**
 * Learns and tests on the same requests: they are cut into parts by cluster (by request for `catalog-evidence`), each part's confidences come from a calibrator
 * of the same family that was fitted on the other parts, and thresholds are tested from few routed requests to many. The
 * calibrator that ships is fitted on all parts; the tests speak about it as far as it equals those of the parts.
 *
 * @throws {SluiceError} FIT_FAILED  the family cannot be fitted without one of the parts
 */
export function crossFit(
  records: readonly ScoredRecord[],
  { parts, outOfScopeShare, family }: CrossFitOptions,
): CrossFit {
  const choice = chooseCalibrator(calibrationRows(records, outOfScopeShare), { family });
  const minRetrievalScore = lowestRetrievalScore(records);
  const partOf = partsOf(records, parts, choice.calibrator.family === "catalog-evidence");
  const certify = Array.from({ length: parts }, (_, part) => {
    const inside = records.filter((record, i) => partOf(record, i) === part);
    const others = records.filter((record, i) => partOf(record, i) !== part);
    const curve = curveOfFamily(choice.calibrator.family, calibrationRows(others, outOfScopeShare));
    return routableRows(inside, curve, minRetrievalScore);
  }).flat();
  return { ...choice, minRetrievalScore, tune: certify.map((row) => ({ ...row, error: false })), certify };
}
