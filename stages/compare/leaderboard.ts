import { type PredictionSummary, summarisePredictions } from "../../eval/predictions/prediction-summary.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { History } from "../../store/history/open.js";
import { listEntries } from "../../store/history/read.js";
import { isImported, readScoredRecords } from "../../store/records/read-records.js";
import { readAnyRun } from "../evaluate/measurable-run.js";

/** One imported system on the requests of its board. */
export interface RankedSystem {
  readonly run_id: string;
  readonly system: string;
  readonly summary: PredictionSummary;
}

/** Imported systems that answered the same labelled requests, the lowest AURC first. */
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

/** The requests of a run with their labels, whatever the order of its rows. */
const requestsOf = (records: readonly ScoredRecord[]): string =>
  JSON.stringify(
    records
      .map(({ id, workflow_id: workflowId }) => [id, workflowId])
      .toSorted(([a], [b]) => ((a ?? "") < (b ?? "") ? -1 : 1)),
  );
