import { counted } from "../../src/documents/number-text.js";
import { shownFold } from "../../eval/shown-fold.js";
import { compareSides, type PairedRecords, pairRecords } from "../../eval/compare.js";
import type { Comparison } from "../../src/documents/comparison.js";
import { evaluateRecords } from "../../eval/metrics/evaluate.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import type { Fold } from "../../src/documents/choices.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { History } from "../../store/history/open.js";
import { shortId } from "../../src/base/text.js";
import {
  type ChosenThresholds,
  type MeasurableRun,
  measurableRun,
  textsOfRun,
  type ThresholdChoice,
  thresholdsFor,
  whyUndecided,
} from "../evaluate/measurable-run.js";
import { isImported } from "../../store/records/read-records.js";
import { sharedRequests } from "../../store/records/shared-requests.js";

export interface ComparedRuns {
  readonly a: Evaluation;
  readonly b: Evaluation;
  /** Comparison of the decisions; null if a run has no thresholds. */
  readonly comparison: Comparison | null;
  readonly warnings: readonly string[];
  /** Request texts by id; null unless requested. */
  readonly texts: ReadonlyMap<string, string> | null;
}

export interface CompareOptions {
  readonly a: { readonly run: string; readonly thresholds: ThresholdChoice };
  readonly b: { readonly run: string; readonly thresholds: ThresholdChoice };
  readonly fold: Fold | "all";
  readonly withTexts: boolean;
  /**
   * "one": runs of different datasets are refused, so that no gate is met by leaving requests out. Default "shared":
   * the requests are compared that have the same text, label and context in both datasets.
   */
  readonly datasets?: "one" | "shared";
}

interface Side {
  readonly run: MeasurableRun;
  readonly thresholds: ChosenThresholds | null;
}

interface DecidedSide extends Side {
  readonly thresholds: ChosenThresholds;
}

/**
 * Compares two runs on the requests that both scored: their metrics, and their decisions if both have applicable
 * thresholds. Gates use evaluations on the same requests.
 * @throws {SluiceError} DOCUMENT_INVALID  the datasets differ and must not, or the runs share no request;
 *   CALIBRATION_INVALID  a specified calibration does not apply
 */
export function compareStoredRuns(history: History, options: CompareOptions): ComparedRuns {
  const [a, b] = [sideOf(history, options.a), sideOf(history, options.b)];
  if (options.datasets === "one") requireOneDataset(a.run, b.run);
  const shared = sharedBetween(history, a.run, b.run);
  const fold = shownFold(b.run.records, options.fold);
  const inFold = ({ records }: MeasurableRun) =>
    records.filter((record) => (fold === "all" || record.fold === fold) && (shared?.has(record.id) ?? true));
  const { pairs, ...leftOut } = pairRecords(inFold(a.run), inFold(b.run));
  const [recordsA, recordsB] = [pairs.map((pair) => pair.a), pairs.map((pair) => pair.b)];
  const decided = isDecided(a) && isDecided(b);
  const evaluate = ({ run, thresholds }: Side, records: readonly ScoredRecord[]) =>
    evaluateRecords({
      records,
      fold,
      runSha256: run.sha256,
      topK: run.document.top_k,
      calibration: decided ? thresholds : null,
    });
  return {
    a: evaluate(a, recordsA),
    b: evaluate(b, recordsB),
    comparison: decided
      ? {
          ...compareSides(
            { records: recordsA, calibration: a.thresholds.document },
            { records: recordsB, calibration: b.thresholds.document },
          ),
          ...leftOut,
        }
      : null,
    warnings: [
      ...undecidedWarnings(history, a, b),
      ...pairingWarnings(a.run, b.run, { ...leftOut, shared: shared !== null, pairs: pairs.length }),
    ],
    texts: options.withTexts ? textsOfRun(history, a.run) : null,
  };
}

function sideOf(history: History, { run: id, thresholds: choice }: CompareOptions["a"]): Side {
  const run = measurableRun(history, id);
  return { run, thresholds: thresholdsFor(history, run, choice) };
}

const isDecided = (side: Side): side is DecidedSide => side.thresholds !== null;

function undecidedWarnings(history: History, a: Side, b: Side): readonly string[] {
  const undecided = [a, b].filter((side) => !isDecided(side));
  if (undecided.length === 0) return [];
  const ids = [...new Set(undecided.map(({ run }) => shortId(run.sha256)))];
  const reasons = new Set(undecided.flatMap(({ run }) => whyUndecided(history, run) ?? []));
  return [
    `No thresholds apply to run ${ids.join(" and run ")}, so it decides nothing that could be compared.`,
    ...reasons,
  ];
}

const datasetOf = ({ document }: MeasurableRun): string | null =>
  isImported(document) ? null : document.dataset_sha256;

function requireOneDataset(a: MeasurableRun, b: MeasurableRun): void {
  const [ofA, ofB] = [datasetOf(a), datasetOf(b)];
  if (ofA === null || ofB === null || ofA === ofB) return;
  throw new SluiceError(
    "DOCUMENT_INVALID",
    `the runs were scored on the datasets ${shortId(ofA)} and ${shortId(ofB)}, expected one`,
    {
      hint: say`Choose two runs of one dataset: ${command`sluice eval list`}`,
    },
  );
}

/** Ids of the requests that both datasets have; null if all do, or if a run is imported and has no dataset. */
function sharedBetween(history: History, a: MeasurableRun, b: MeasurableRun): ReadonlySet<string> | null {
  const [ofA, ofB] = [datasetOf(a), datasetOf(b)];
  return ofA === null || ofB === null ? null : sharedRequests(history, ofA, ofB);
}

function pairingWarnings(
  a: MeasurableRun,
  b: MeasurableRun,
  {
    only_in_a: onlyInA,
    only_in_b: onlyInB,
    not_scored: notScored,
    shared,
    pairs,
  }: Omit<PairedRecords, "pairs"> & { readonly shared: boolean; readonly pairs: number },
): readonly string[] {
  const catalogOf = ({ document }: MeasurableRun) => (isImported(document) ? null : document.catalog_sha256);
  const leftOut = onlyInA + onlyInB + notScored;
  return [
    ...(catalogOf(a) === catalogOf(b)
      ? []
      : ["The runs belong to different catalogs; every shared request has the same label."]),
    ...(shared
      ? [
          `The runs have different datasets: ${counted(pairs, "request has", "requests have")} the same text and label in both, and only these are compared.`,
        ]
      : []),
    ...(leftOut === 0
      ? []
      : [
          `${counted(leftOut, "request is not in both runs and is", "requests are not in both runs and are")} excluded.`,
        ]),
  ];
}
