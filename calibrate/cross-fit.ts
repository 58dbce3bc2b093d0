import type { ScoredRecord } from "../src/documents/scored-record.js";
import type { Calibration } from "../src/documents/calibration.js";
import type { Calibrator } from "../src/documents/calibrator.js";
import { calibrationRows, type RowOptions } from "./calibrators/calibration-row.js";
import { type CalibratorChoice, type CalibratorOptions, chooseCalibrator, foldOfCluster } from "./choose-calibrator.js";
import { type OpenGates, type RoutableRow, routableRows } from "./routable.js";
import { lowestRetrievalScore } from "./retrieval-floor.js";
import { severalWishesOf } from "./several-wishes.js";
import { type EnteredRows, entryOf, listableRows } from "./shortlist.js";

/** Calibrators of a cross-fit, shared by all claims. */
export interface CrossFittedCalibrators extends CalibratorChoice {
  readonly minRetrievalScore: number;
  readonly severalWishes: Calibration["several_wishes"];
  readonly by: "workflow" | "request";
  /** The records, and the part number of each. */
  readonly records: readonly ScoredRecord[];
  readonly partOf: Int32Array;
  /** For each part, the calibrator fitted on the other parts. */
  readonly ofParts: readonly Calibrator[];
}

/** Part number of each record: by cluster, or by family if each part must contain every workflow. */
function partsOf(records: readonly ScoredRecord[], parts: number, byRequest: boolean): Int32Array {
  if (byRequest) {
    const numbers = new Map<string, number>();
    return Int32Array.from(records, ({ id, family }) => {
      const name = family === undefined ? `row ${id}` : `family ${family}`;
      const number = numbers.get(name) ?? numbers.size;
      numbers.set(name, number);
      return number % parts;
    });
  }
  const partOf = foldOfCluster(records, parts);
  return Int32Array.from(records, ({ cluster }) => partOf.get(cluster) ?? 0);
}

export interface CrossFitOptions extends Pick<CalibratorOptions, "family">, Pick<RowOptions, "background"> {
  /** Number of parts, integer >= 2. */
  readonly parts: number;
  /** Declared share of out-of-scope requests; reweights the fits. */
  readonly outOfScopeShare: number | undefined;
}

/**
 * Learns and tests on the same requests. Records are split into parts by cluster (by request for `catalog-features`),
 * and each part's confidences come from a calibrator fitted on the other parts. If no family is given, each of these
 * calibrators is also chosen on its own training parts, so that no request influences its own confidence. The shipped
 * calibrator is fitted on all parts; the tests apply to it as far as it agrees with the calibrators of the parts.
 * Background requests are in every fit but in no part, so they are never tested.
 *
 * @throws {SluiceError} FIT_FAILED  the family cannot be fitted if one of the parts is left out
 */
export function crossFitCalibrators(
  records: readonly ScoredRecord[],
  { parts, outOfScopeShare, background, family }: CrossFitOptions,
): CrossFittedCalibrators {
  const choose = (of: readonly ScoredRecord[]) =>
    chooseCalibrator(calibrationRows(of, { outOfScopeShare, background }), { family });
  const choice = choose(records);
  const minRetrievalScore = lowestRetrievalScore(records);
  const by = family === "catalog-features" ? "request" : "workflow";
  const partOf = partsOf(records, parts, by === "request");
  const ofParts = Array.from(
    { length: parts },
    (_, part) => choose(records.filter((_, i) => partOf[i] !== part)).calibrator,
  );
  const severalWishes = severalWishesOf(records);
  return { ...choice, minRetrievalScore, severalWishes, by, records, partOf, ofParts };
}

/** Workflows and languages that a claim covers. */
export type ClaimGates = Pick<OpenGates, "certified_workflows" | "languages">;

/** The calibrator that tests each record, in their order: fitted on the other parts. */
export const testingCalibrators = ({ partOf, ofParts, calibrator }: CrossFittedCalibrators): readonly Calibrator[] =>
  Array.from(partOf, (part) => ofParts[part] ?? calibrator);

/**
 * The test rows of a claim; the confidence of a row does not depend on its own label.
 */
export function crossFittedRows(
  { records, partOf, ofParts, minRetrievalScore, severalWishes }: CrossFittedCalibrators,
  open: ClaimGates,
): readonly RoutableRow[] {
  return ofParts.flatMap((calibrator, part) =>
    routableRows(
      records.filter((_, row) => partOf[row] === part),
      { calibrator, min_retrieval_score: minRetrievalScore, several_wishes: severalWishes, ...open },
    ),
  );
}

/**
 * As `crossFittedRows`, for shortlists: each part has an entry that was learned on the other parts with their
 * calibrator.
 * @returns  the parts, and the entry that ships, learned on all records
 */
export function crossFittedLists(
  fitted: CrossFittedCalibrators,
  open: ClaimGates,
  delta: number,
): { readonly parts: readonly EnteredRows[]; readonly entry: number } {
  const { records, partOf, ofParts, calibrator: shipped, minRetrievalScore } = fitted;
  const gatesOf = (calibrator: Calibrator) => ({
    calibrator,
    min_retrieval_score: minRetrievalScore,
    ...open,
  });
  const entered = ofParts.map((calibrator, part) => ({
    rows: listableRows(
      records.filter((_, row) => partOf[row] === part),
      gatesOf(calibrator),
    ),
    entry: entryOf(
      records.filter((_, row) => partOf[row] !== part),
      gatesOf(calibrator),
      delta,
    ),
  }));
  return { parts: entered, entry: entryOf(records, gatesOf(shipped), delta) };
}
