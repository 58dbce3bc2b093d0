import type { LabelledRequest } from "../../src/documents/dataset.js";
import { populationsOf } from "../../eval/population-of.js";
import { kinOf } from "../../eval/score-dataset.js";
import type { Run, ScoredRecord } from "../../src/documents/scored-record.js";
import { kinOfRows, foldOfRow, removedWorkflows, type Split } from "../../src/documents/split.js";
import { scoresLeftOut } from "../../datasets/left-out.js";
import { foldOf } from "../../datasets/split-by-workflow.js";
import type { History } from "../../store/history/open.js";
import { type Stored, readScoredRecords, readSplit, scoredRuns } from "../../store/records/read-records.js";

/** The inputs of a run that determine its scores, which do not include the folds. */
export type ScoreInputs = Omit<
  Run,
  | "schema_version"
  | "kind"
  | "split_sha256"
  | "model_version"
  | "records_sha256"
  | "requests"
  | "scoring_errors"
  | "top_k"
>;

function scoredAlike(run: Run, inputs: ScoreInputs): boolean {
  return (
    run.scoring_errors === 0 &&
    run.catalog_sha256 === inputs.catalog_sha256 &&
    run.dataset_sha256 === inputs.dataset_sha256 &&
    run.policy_sha256 === inputs.policy_sha256 &&
    run.retriever_sha256 === inputs.retriever_sha256 &&
    run.verifier_sha256 === inputs.verifier_sha256 &&
    run.serializer_sha256 === inputs.serializer_sha256
  );
}

/** The latest run that scored the same requests with the same models and policy under a different split. */
function earlierRun(history: History, inputs: ScoreInputs, split: Split): Stored<Run> | undefined {
  const removed = [...removedWorkflows(split)].sort().join();
  return scoredRuns(history).find(({ document }) => {
    if (!scoredAlike(document, inputs)) return false;
    const other = readSplit(history, document.split_sha256).document;
    // Left-out scores come from smaller catalogs.
    if (scoresLeftOut(other) !== scoresLeftOut(split)) return false;
    return [...removedWorkflows(other)].sort().join() === removed;
  });
}

export interface EarlierScores {
  readonly runId: string;
  readonly records: readonly ScoredRecord[];
  readonly modelVersion: string;
}

/**
 * Scores of an earlier run under a different split, as records in the folds of this split; null if there is none. A
 * score depends on the request, the catalog, the models and the policy but not on the fold, so scoring again would give
 * the same records.
 */
export function earlierScores(
  history: History,
  inputs: ScoreInputs,
  { split, rows }: { readonly split: Split; readonly rows: readonly LabelledRequest[] },
): EarlierScores | null {
  const run = earlierRun(history, inputs, split);
  if (run === undefined) return null;
  const scored = new Map(readScoredRecords(history, run).map((record) => [record.id, record]));
  const folds = foldOf(split);
  const populationOf = populationsOf({ rows, foldOf: folds, removedWorkflows: removedWorkflows(split) });
  const kin = kinOfRows(split);
  const records = rows.flatMap((row) => {
    const [record, fold] = [scored.get(row.id), foldOfRow(row, folds)];
    if (record === undefined || fold === undefined) return [];
    const { family: _family, near_copy: _copy, ...same } = record;
    return [{ ...same, ...kinOf(row, kin), fold, population: populationOf(row) }];
  });
  return records.length < rows.length ? null : { runId: run.sha256, records, modelVersion: run.document.model_version };
}
