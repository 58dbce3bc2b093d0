import { type Comparison, compareRuns } from "../../eval/compare.js";
import type { GateInput } from "../../eval/compare-gates.js";
import { evaluateRecords } from "../../eval/metrics/evaluate.js";
import type { Fold } from "../../src/domain/split.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { SluiceError } from "../../src/errors/error.js";
import type { History } from "../../src/history/open.js";
import { shortId } from "../short-id.js";
import {
  type ChosenThresholds,
  isImported,
  type MeasurableRun,
  measurableRun,
  type ThresholdChoice,
  thresholdsFor,
} from "./measurable-run.js";
import { readDataset } from "./read-records.js";

export interface ComparedRuns extends GateInput {
  readonly comparison: Comparison;
  readonly warnings: readonly string[];
  /** Texts of the requests by id; null unless they were asked for. */
  readonly texts: ReadonlyMap<string, string> | null;
}

export interface CompareOptions {
  readonly a: { readonly run: string; readonly thresholds: ThresholdChoice };
  readonly b: { readonly run: string; readonly thresholds: ThresholdChoice };
  readonly fold: Fold | "all";
  readonly showTexts: boolean;
}

interface Side {
  readonly run: MeasurableRun;
  readonly thresholds: ChosenThresholds;
}

/**
 * Compares the decisions of two runs on the requests that both scored. The evaluations that gates look at are of these
 * requests too.
 * @throws {SluiceError} RECORD_NOT_FOUND  a run has no thresholds; DATASET_INVALID  other data sets or labels
 */
export function compareStoredRuns(history: History, options: CompareOptions): ComparedRuns {
  const [a, b] = [sideOf(history, options.a), sideOf(history, options.b)];
  requireOneDataset(a.run, b.run);
  const inFold = (records: readonly ScoredRecord[]) =>
    records.filter((record) => options.fold === "all" || record.fold === options.fold);
  const [recordsA, recordsB] = [inFold(a.run.records), inFold(b.run.records)];
  const comparison = compareRuns(
    { records: recordsA, calibration: a.thresholds.document },
    { records: recordsB, calibration: b.thresholds.document },
  );
  const shared = sharedIds(recordsA, recordsB);
  const evaluate = ({ run, thresholds }: Side, records: readonly ScoredRecord[]) =>
    evaluateRecords({
      records: records.filter(({ id }) => shared.has(id)),
      fold: options.fold,
      runSha256: run.sha256,
      topK: run.document.topK,
      calibration: thresholds,
    });
  return {
    a: evaluate(a, recordsA),
    b: evaluate(b, recordsB),
    comparison,
    warnings: warningsOf(a.run, b.run, comparison),
    texts: options.showTexts ? textsOf(history, a.run) : null,
  };
}

function sideOf(history: History, { run: id, thresholds: choice }: CompareOptions["a"]): Side {
  const run = measurableRun(history, id);
  const thresholds = thresholdsFor(history, run, choice);
  if (thresholds !== null) return { run, thresholds };
  throw new SluiceError("RECORD_NOT_FOUND", `run ${shortId(run.sha256)} has no calibration, so nothing decides`, {
    hint: isImported(run.document)
      ? "Give it one threshold for all predictions: --min-confidence-a 0.5 or --min-confidence-b 0.5"
      : `Fit one: sluice calibrate fit --run ${shortId(run.sha256)}`,
  });
}

const datasetOf = ({ document }: MeasurableRun): string | null =>
  isImported(document) ? null : document.datasetSha256;

function requireOneDataset(a: MeasurableRun, b: MeasurableRun): void {
  const [ofA, ofB] = [datasetOf(a), datasetOf(b)];
  if (ofA === null || ofB === null || ofA === ofB) return;
  throw new SluiceError(
    "DATASET_INVALID",
    `the runs were scored on the data sets ${shortId(ofA)} and ${shortId(ofB)}, expected one`,
    {
      hint: "Choose two runs of one data set: sluice eval list",
    },
  );
}

/** Ids that both sides scored. */
function sharedIds(a: readonly ScoredRecord[], b: readonly ScoredRecord[]): ReadonlySet<string> {
  const scored = (records: readonly ScoredRecord[]) =>
    records.filter(({ errorCode }) => errorCode === null).map(({ id }) => id);
  const ofA = new Set(scored(a));
  return new Set(scored(b).filter((id) => ofA.has(id)));
}

function warningsOf(a: MeasurableRun, b: MeasurableRun, comparison: Comparison): readonly string[] {
  const catalogOf = ({ document }: MeasurableRun) => (isImported(document) ? null : document.catalogSha256);
  const { onlyInA, onlyInB, notScored } = comparison;
  const leftOut = onlyInA + onlyInB + notScored;
  return [
    ...(catalogOf(a) === catalogOf(b)
      ? []
      : ["The runs belong to different catalogs; every shared request has the same label."]),
    ...(leftOut === 0 ? [] : [`${leftOut} requests are not in both runs and are in no number.`]),
  ];
}

function textsOf(history: History, run: MeasurableRun): ReadonlyMap<string, string> {
  const dataset = datasetOf(run);
  if (dataset !== null) return new Map(readDataset(history, dataset).document.map(({ id, text }) => [id, text]));
  throw new SluiceError("USAGE", `run ${shortId(run.sha256)} was imported without texts`, {
    hint: "Leave --show-texts out.",
  });
}
