import { readScoredTable, scoredTableBytes } from "../../eval/scored-table.js";
import type { Run, ScoredRecord } from "../../src/documents/scored-record.js";
import { type Stored, readCatalog, readModel, readPolicy } from "../../store/records/read-records.js";
import type { Session } from "../../store/records/session.js";
import { type LeftOutOptions, leftOutParts } from "../../datasets/left-out.js";
import { scoreRows, type ScoreRowsOptions } from "./score-rows.js";

/** Requests to score, and the number of inference threads. */
type WorkOverRun = Pick<ScoreRowsOptions, "rows" | "foldOf" | "familyOf" | "removedWorkflows" | "workers"> & {
  /** Rows that are scored without the examples of their families. Default: none. */
  readonly leftOut?: LeftOutOptions;
};

/** Scores requests with the catalog, policy and models of a run, and returns the records as a run would store them. */
export async function scoreOverRun(
  { history, context }: Session,
  { document }: Stored<Run>,
  { leftOut, ...work }: WorkOverRun,
): Promise<readonly ScoredRecord[]> {
  const catalog = readCatalog(history, document.catalog_sha256).document;
  const asked = {
    ...work,
    catalog,
    policy: readPolicy(history, document.policy_sha256).document,
    context,
    progress: context.progress,
    models: {
      retrieverFiles: readModel(history, document.retriever_sha256).files,
      verifierFiles: readModel(history, document.verifier_sha256).files,
    },
  };
  const parts = leftOut === undefined ? undefined : leftOutParts(work.rows, catalog, leftOut);
  const { records } = await scoreRows(asked, parts);
  // Writing and reading rounds the features, as in a stored run.
  return readScoredTable(scoredTableBytes(records), "scored records");
}
