import type { ValuesOf } from "../../src/base/options.js";
import type { gateOptions } from "../options/eval.js";
import { applyGate, type GateInput, type GateOutcome } from "../../eval/gates/apply-gate.js";
import { type GateRule, needsBaseline, parseGate } from "../../eval/gates/parse-gate.js";
import { shownFold } from "../../eval/shown-fold.js";
import { evaluateRecords } from "../../eval/metrics/evaluate.js";
import type { Claim } from "../../src/documents/calibration.js";
import type { Fold } from "../../src/documents/choices.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { findEntry } from "../../store/history/read.js";
import type { History } from "../../store/history/open.js";
import { readCalibration } from "../../store/records/read-records.js";
import { compareStoredRuns } from "../compare/compare-runs.js";
import { measurableRun, type ThresholdChoice, thresholdsFor } from "./measurable-run.js";

/** Gates that a run must meet; validated before long work begins. */
type GateChoice = ValuesOf<typeof gateOptions>;

export interface HoldGatesOptions {
  readonly gates: readonly GateRule[];
  /** Default: the latest run. */
  readonly runId?: string | undefined;
  readonly thresholds?: ThresholdChoice;
  readonly fold: Fold | "all";
  /** Baseline run for gates, with the thresholds of its latest calibration. */
  readonly baseline?: string | undefined;
}

/**
 * Parses gates before long work begins.
 * @throws {SluiceError} USAGE  a gate is invalid, or needs a baseline although none is given
 */
export function readGates({ gate, baseline }: GateChoice): readonly GateRule[] {
  const rules = gate.map(parseGate);
  const lost = rules.find((rule) => baseline === undefined && needsBaseline(rule));
  if (lost === undefined) return rules;
  throw new SluiceError("USAGE", `gate ${lost.text} compares with a baseline, but none was given`, {
    hint: say`Add one, for example: ${command`sluice eval show --baseline RUN`}; ${command`sluice eval list`} shows the runs.`,
  });
}

/** Checks a run against gates, with the thresholds that apply to it. @throws {SluiceError} as `compareStoredRuns` */
export function holdGates(history: History, options: HoldGatesOptions): readonly GateOutcome[] {
  const { gates, runId, thresholds: choice = {}, fold, baseline } = options;
  if (gates.length === 0) return [];
  const run = measurableRun(history, runId);
  const thresholds = thresholdsFor(history, run, choice);
  const claims = claimsOf(history, thresholds?.sha256 ?? null);
  if (baseline !== undefined) {
    const [a, b] = [
      { run: baseline, thresholds: {} },
      { run: run.sha256, thresholds: choice },
    ];
    const compared = compareStoredRuns(history, { a, b, fold, withTexts: false, datasets: "one" });
    return gates.map((rule) => applyGate(rule, { ...compared, claims }));
  }
  const { records, sha256: runSha256 } = run;
  const b = evaluateRecords({
    records,
    fold: shownFold(records, fold),
    runSha256,
    topK: run.document.top_k,
    calibration: thresholds,
  });
  const input: GateInput = { a: null, b, comparison: null, claims };
  return gates.map((rule) => applyGate(rule, input));
}

/** Claims of the calibration with these thresholds; null if the thresholds have no calibration. */
export function claimsOf(history: History, thresholds: Sha256 | null): readonly Claim[] | null {
  if (thresholds === null || findEntry(history, "calibration", thresholds) === undefined) return null;
  return readCalibration(history, thresholds).document.claims;
}
