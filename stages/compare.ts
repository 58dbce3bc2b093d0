import { applyGate, type GateOutcome } from "../eval/gates/apply-gate.js";
import { type Leaderboard, leaderboards } from "./compare/leaderboard.js";
import { claimsOf, readGates } from "./evaluate/hold-gates.js";
import { type ListedRun, runsOfHistory } from "./evaluate/list-runs.js";
import type { Fold } from "../src/documents/choices.js";
import { type ComparedRuns, compareStoredRuns } from "./compare/compare-runs.js";
import { withHistory } from "../store/records/with-history.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/** One of two runs, and the thresholds that decide for it. */
export interface ComparedRun {
  /** Id of the run or its beginning. */
  readonly run: string;
  /** Default: the latest calibration that applies to the run. */
  readonly calibration?: string | undefined;
  /** One confidence for every tier instead of a calibration, in [0, 1]. */
  readonly minConfidence?: number | undefined;
}

/** Which runs are compared, and where. */
export interface CompareRunsOptions {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  /** Default "eval". */
  readonly fold?: Fold | "all";
  /** Returns the texts of the requests too. Default false. */
  readonly withTexts?: boolean;
  /** Requirements for B; A is its baseline. Default: none. */
  readonly gates?: readonly string[];
}

/**
 * Compares two runs on the requests that both scored: decisions that differ, and paired differences with intervals. Without
 * thresholds for both runs only their rankings are compared. Saves nothing.
 *
 * @example const { comparison } = await compareRuns(workbench, { a: { run: before }, b: { run: after } });
 * @throws {SluiceError} RECORD_NOT_FOUND; DATASET_INVALID  the runs are of different datasets; CALIBRATION_INVALID
 */
export async function compareRuns(
  workbench: WorkbenchContext,
  options: CompareRunsOptions,
): Promise<ComparedRuns & { readonly gates: readonly GateOutcome[] }> {
  const { a, b, fold = "eval", withTexts = false, gates = [] } = options;
  return withHistory(workbench, "read", async ({ history }) => {
    const rules = readGates({ gates, baseline: a.run });
    const compared = compareStoredRuns(history, { a: sideOf(a), b: sideOf(b), fold, withTexts });
    const claims = claimsOf(history, compared.b.calibration_sha256);
    return { ...compared, gates: rules.map((rule) => applyGate(rule, { ...compared, claims })) };
  });
}

const sideOf = ({ run, calibration, minConfidence }: ComparedRun) => ({
  run,
  thresholds: { calibrationId: calibration, threshold: minConfidence },
});

/** Every run of the history, oldest first. @throws {SluiceError} FILE_NOT_FOUND  there is no history */
export async function listRuns(workbench: WorkbenchContext): Promise<readonly ListedRun[]> {
  return withHistory(workbench, "read", async ({ history }) => runsOfHistory(history));
}

/**
 * One board for each set of labelled requests that imported runs answered, largest first. Systems without a defined
 * AURC are last.
 * @throws {SluiceError} FILE_NOT_FOUND  there is no history
 */
export async function rankSystems(workbench: WorkbenchContext): Promise<readonly Leaderboard[]> {
  return withHistory(workbench, "read", async ({ history }) => leaderboards(history));
}
