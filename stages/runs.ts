import { summarisePredictions } from "../eval/predictions/prediction-summary.js";
import { headlineText } from "../reports/headline.js";
import type { PredictionSummary } from "../src/documents/comparison.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import type { History } from "../store/history/open.js";
import { listEntries } from "../store/history/read.js";
import { isImported, readCalibration, readScoredRecords } from "../store/records/read-records.js";
import { runNotes } from "../store/records/run-note.js";
import { withHistory } from "../store/records/session.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { readAnyRun } from "./evaluate/measurable-run.js";

/** Lists all runs in the history, oldest first. @throws {SluiceError} FILE_NOT_FOUND  there is no history */
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

export interface ListedRun {
  readonly run: string;
  /** What a person calls it; null without a note. */
  readonly note: string | null;
  readonly at: string;
  readonly kind: "scored" | "imported";
  readonly requests: number;
  readonly scoring_errors: number;
  /** null for imported predictions. */
  readonly dataset_sha256: string | null;
  readonly catalog_sha256: string | null;
  readonly model_version: string;
  /** Calibrations fitted on the run, oldest first. */
  readonly calibrations: readonly string[];
  /** Promise, routed share and wrong routes of the latest of them; null without one. */
  readonly result: string | null;
}

/** All runs, oldest first. */
export function runsOfHistory(history: History): readonly ListedRun[] {
  const fitted = listEntries(history, { kind: "calibration" }).map(({ sha256 }) => {
    const { document } = readCalibration(history, sha256);
    return { sha256, run: document.digests.run, result: headlineText(document) };
  });
  const notes = runNotes(history);
  return listEntries(history, { kind: "run" }).map(({ sha256, at }) => {
    const { document } = readAnyRun(history, sha256);
    const imported = isImported(document);
    const own = fitted.filter((calibration) => calibration.run === sha256);
    return {
      run: sha256,
      note: notes.get(sha256) ?? null,
      at,
      kind: imported ? "imported" : "scored",
      requests: document.requests,
      scoring_errors: document.scoring_errors,
      dataset_sha256: imported ? null : document.dataset_sha256,
      catalog_sha256: imported ? null : document.catalog_sha256,
      model_version: document.model_version,
      calibrations: own.map((each) => each.sha256),
      result: own.at(-1)?.result ?? null,
    };
  });
}

export interface RankedSystem {
  readonly run_id: string;
  readonly system: string;
  readonly summary: PredictionSummary;
}

/** Imported systems that answered the same labelled requests, lowest AURC first. */
export interface Leaderboard {
  readonly requests: number;
  readonly out_of_scope: number;
  readonly systems: readonly RankedSystem[];
}

/**
 * One board for each set of labelled requests that imported runs answered, largest first. Systems without a defined
 * AURC are last.
 */
export function leaderboards(history: History): readonly Leaderboard[] {
  const boards = new Map<string, RankedSystem[]>();
  for (const { sha256 } of listEntries(history, { kind: "run" })) {
    const run = readAnyRun(history, sha256);
    if (!isImported(run.document)) continue;
    const records = readScoredRecords(history, run);
    const key = requestsOf(records);
    const ranked = { run_id: sha256, system: run.document.model_version, summary: summarisePredictions(records) };
    boards.set(key, [...(boards.get(key) ?? []), ranked]);
  }
  const risk = ({ summary }: RankedSystem): number => summary.aurc.value ?? Number.POSITIVE_INFINITY;
  return [...boards.values()]
    .map((systems) => systems.toSorted((a, b) => risk(a) - risk(b)))
    .map((systems) => ({
      requests: systems[0]?.summary.requests ?? 0,
      out_of_scope: systems[0]?.summary.out_of_scope ?? 0,
      systems,
    }))
    .toSorted((a, b) => b.systems.length - a.systems.length || b.requests - a.requests);
}

/** Identifies the labelled requests of a run, independent of row order. */
const requestsOf = (records: readonly ScoredRecord[]): string =>
  JSON.stringify(
    records
      .map(({ id, workflow_id: workflowId }) => [id, workflowId])
      .toSorted(([a], [b]) => ((a ?? "") < (b ?? "") ? -1 : 1)),
  );
