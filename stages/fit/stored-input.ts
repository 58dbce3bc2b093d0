import type { FitInput } from "../../calibrate/fit-input.js";
import { testedRecords } from "../../calibrate/fit-calibration.js";
import { decideRequest, type DecidedRequest } from "../../eval/requests/decided-request.js";
import type { EvaluatedThresholds } from "../../eval/metrics/evaluated-thresholds.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { Run } from "../../src/documents/scored-record.js";
import type { History } from "../../store/history/open.js";
import { readRun, type Stored } from "../../store/records/read-records.js";
import { type FurtherRows, recordsOfRun, storedFitRows } from "./background-source.js";

/** What a calibration was fitted on, besides its options. */
interface FittedOn extends Pick<FitInput, "records"> {
  readonly run: Stored<Run>;
  readonly fitRows: FurtherRows;
}

/** Digests that a calibration states about its run. */
export const fittedOn = ({ sha256, document }: Stored<Run>): FitInput["digests"] => ({
  dataset: document.dataset_sha256,
  split: document.split_sha256,
  run: sha256,
  catalog: document.catalog_sha256,
});

export function inputOfFit(
  { fit: stated, calibration_version: version }: Calibration,
  { run, records, fitRows }: FittedOn,
): FitInput {
  const { background: _, follow_ups: __, ...fit } = stated;
  return {
    ...fit,
    records,
    digests: fittedOn(run),
    version,
    ...fitRows,
  };
}

/** The same from the history that holds the calibration. */
function storedInputOfFit(history: History, calibration: Calibration): FitInput {
  const run = readRun(history, calibration.digests.run);
  const fitRows = storedFitRows(history, calibration.fit);
  return inputOfFit(calibration, { run, records: recordsOfRun(history, run), fitRows });
}

/**
 * A calibration as the thresholds of an evaluation: the requests that it tested are decided as its claims count them, each with
 * the calibrator that was fitted without it.
 */
export function asTested(calibration: Calibration, input: () => FitInput): Calibration & EvaluatedThresholds {
  if (calibration.cross_fit === null) return calibration;
  const testedBy = new Map(testedRecords(input()).map(({ record, calibrator }) => [record.id, calibrator]));
  return { ...calibration, testedBy };
}

/** `asTested` from the history that contains the calibration. */
export const asTestedIn = (history: History, calibration: Calibration): Calibration & EvaluatedThresholds =>
  asTested(calibration, () => storedInputOfFit(history, calibration));

/** The tested requests of a calibration, decided as its claims count them. */
export function decideTested(history: History, calibration: Calibration): readonly DecidedRequest[] {
  const { top_k: topK } = readRun(history, calibration.digests.run).document;
  return testedRecords(storedInputOfFit(history, calibration)).map(({ record, calibrator }) =>
    decideRequest(record, { thresholds: { ...calibration, calibrator }, topK }),
  );
}
