import { shownFold } from "../../eval/shown-fold.js";
import { type DecidedRequest, decideRequests } from "../../eval/requests/decided-request.js";
import type { Fold } from "../../src/documents/choices.js";
import type { History } from "../../store/history/open.js";
import {
  type ChosenThresholds,
  type MeasurableRun,
  measurableRun,
  type ThresholdChoice,
  thresholdsFor,
  whyUndecided,
} from "./measurable-run.js";

export interface DecideRunOptions {
  /** By default the latest run. */
  readonly runId?: string | undefined;
  readonly thresholds: ThresholdChoice;
  readonly fold: Fold | "all";
}

/** The requests of one fold of a run, or of all folds, with their decisions. */
export interface DecidedRun {
  readonly run: MeasurableRun;
  /** null: no thresholds apply to the run, and nothing is decided. */
  readonly thresholds: ChosenThresholds | null;
  readonly requests: readonly DecidedRequest[];
  /** Why nothing is decided. */
  readonly warnings: readonly string[];
}

/**
 * Decides the requests of a run with the thresholds that apply to it.
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS; CALIBRATION_INVALID  a named calibration of other identities
 */
export function decidedRun(history: History, { runId, thresholds: choice, fold }: DecideRunOptions): DecidedRun {
  const run = measurableRun(history, runId);
  const thresholds = thresholdsFor(history, run, choice);
  const { top_k } = run.document;
  return {
    run,
    thresholds,
    requests: decideRequests(run.records, {
      thresholds: thresholds?.document ?? null,
      topK: top_k,
      fold: shownFold(run.records, fold),
    }),
    warnings: thresholds === null ? undecided(whyUndecided(history, run)) : [],
  };
}

const undecided = (reason: string | null): readonly string[] => [
  "No thresholds apply: only the ranking of the workflows is evaluated.",
  ...(reason === null ? [] : [reason]),
];
