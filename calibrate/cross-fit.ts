import type { ScoredRecord } from "../src/documents/scored-record.js";
import type { Calibration } from "../src/documents/calibration.js";
import type { Calibrator } from "../src/documents/calibrator.js";
import { calibrationRows, type RowOptions } from "./calibrators/calibration-row.js";
import { type CalibratorChoice, type CalibratorOptions, chooseCalibrator, foldOfCluster } from "./choose-calibrator.js";
import { type OpenGates, type RoutableRow, routableRows } from "./routable.js";
import { learnRetrievalFloor, lowestRetrievalScore } from "./retrieval-floor.js";
import { severalWishesOf } from "./several-wishes.js";
import { type EnteredRows, entryOf, listableRows } from "./shortlist.js";
import type { TestedRecord } from "./traffic.js";

/** Calibrators fitted on labelled requests, and who tests which request; shared by all claims. */
export interface Learned extends CalibratorChoice {
  readonly min_retrieval_score: number;
  readonly several_wishes: Calibration["several_wishes"];
  /** What the shipped calibrator was fitted on. */
  readonly tuned: readonly ScoredRecord[];
  /** The tested records, and the part number of each. */
  readonly tested: readonly ScoredRecord[];
  readonly partOf: Int32Array;
  /** For each part, the calibrator that tests it, fitted without it. */
  readonly ofParts: readonly Calibrator[];
  /** What a cross-fit keeps in one part; null if the tested requests were held out, as the only part. */
  readonly by: "workflow" | "request" | null;
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

export interface LearnOptions extends Pick<CalibratorOptions, "family">, Pick<RowOptions, "background"> {
  /** Declared share of out-of-scope requests; reweights the fits. */
  readonly outOfScopeShare: number | undefined;
}

export interface CrossFitOptions extends LearnOptions {
  /** Number of parts, integer >= 2. */
  readonly parts: number;
}

const choose = (records: readonly ScoredRecord[], { family, ...options }: LearnOptions): CalibratorChoice =>
  chooseCalibrator(calibrationRows(records, options), { family });

/** Learns on some requests and tests on others. @throws {SluiceError} FIT_FAILED  the family cannot be fitted */
export function holdOut(
  tuned: readonly ScoredRecord[],
  tested: readonly ScoredRecord[],
  options: LearnOptions,
): Learned {
  const choice = choose(tuned, options);
  return {
    ...choice,
    min_retrieval_score: learnRetrievalFloor(tuned, choice.calibrator),
    several_wishes: severalWishesOf(tuned),
    tuned,
    tested,
    partOf: new Int32Array(tested.length),
    ofParts: [choice.calibrator],
    by: null,
  };
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
export function crossFit(records: readonly ScoredRecord[], { parts, ...options }: CrossFitOptions): Learned {
  const choice = choose(records, options);
  const by = options.family === "catalog-features" ? "request" : "workflow";
  const partOf = partsOf(records, parts, by === "request");
  const ofParts = Array.from(
    { length: parts },
    (_, part) =>
      choose(
        records.filter((_, i) => partOf[i] !== part),
        options,
      ).calibrator,
  );
  return {
    ...choice,
    min_retrieval_score: lowestRetrievalScore(records),
    several_wishes: severalWishesOf(records),
    tuned: records,
    tested: records,
    partOf,
    ofParts,
    by,
  };
}

/** Workflows and languages that a claim covers. */
export type ClaimGates = Pick<OpenGates, "certified_workflows" | "languages">;

/** The tested records, each with the calibrator that tests it. */
export const testedBy = ({ tested, partOf, ofParts, calibrator }: Learned): readonly TestedRecord[] =>
  tested.map((record, row) => ({ record, calibrator: ofParts[partOf[row] ?? 0] ?? calibrator }));

const testedIn = ({ tested, partOf }: Learned, part: number): readonly ScoredRecord[] =>
  tested.filter((_, row) => partOf[row] === part);

/** The test rows of a claim; the confidence of a row does not depend on its own label. */
export function claimRows(learned: Learned, open: ClaimGates): readonly RoutableRow[] {
  const { min_retrieval_score, several_wishes } = learned;
  return learned.ofParts.flatMap((calibrator, part) =>
    routableRows(testedIn(learned, part), { calibrator, min_retrieval_score, several_wishes, ...open }),
  );
}

/**
 * As `claimRows`, for shortlists: each part has an entry that was learned without it, with the calibrator that tests it.
 * @returns  the parts, and the entry that ships, learned with the shipped calibrator
 */
export function claimLists(
  learned: Learned,
  open: ClaimGates,
  delta: number,
): { readonly parts: readonly EnteredRows[]; readonly entry: number } {
  const { tuned, partOf, by, min_retrieval_score } = learned;
  const gatesOf = (calibrator: Calibrator) => ({ calibrator, min_retrieval_score, ...open });
  const entered = learned.ofParts.map((calibrator, part) => {
    const gates = gatesOf(calibrator);
    const others = by === null ? tuned : tuned.filter((_, row) => partOf[row] !== part);
    return { rows: listableRows(testedIn(learned, part), gates), entry: entryOf(others, gates, delta) };
  });
  return { parts: entered, entry: entryOf(tuned, gatesOf(learned.calibrator), delta) };
}
