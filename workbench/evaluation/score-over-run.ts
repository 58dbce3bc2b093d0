import { readScoredTable, scoredTableBytes } from "../../eval/scored-table.js";
import type { Run, ScoredRecord } from "../../src/domain/scored-record.js";
import { type Kept, readCatalog, readModel, readPolicy } from "../records/read-records.js";
import type { Stage } from "../records/stage.js";
import { leftOutParts } from "../../datasets/left-out.js";
import { scoreLeftOut, scoreRows, type ScoreRowsOptions } from "./score-rows.js";

/** Requests to score, and with how many inference threads. */
type WorkOverRun = Pick<ScoreRowsOptions, "rows" | "foldOf" | "familyOf" | "removedWorkflows" | "workers"> & {
  /** Each row is scored without the examples of its family. Default false. */
  readonly leftOut?: boolean;
};

/** Scores requests over the catalog of a run with its policy and its models: the records as a run stores them. */
export async function scoreOverRun(
  { history, context }: Stage,
  { document }: Kept<Run>,
  { leftOut = false, ...work }: WorkOverRun,
): Promise<readonly ScoredRecord[]> {
  const catalog = readCatalog(history, document.catalogSha256).document;
  const asked = {
    ...work,
    catalog,
    policy: readPolicy(history, document.policySha256).document,
    context,
    progress: context.progress,
    models: {
      retrieverFiles: readModel(history, document.retrieverSha256).files,
      verifierFiles: readModel(history, document.verifierSha256).files,
    },
  };
  const { records } = leftOut ? await scoreLeftOut(asked, leftOutParts(work.rows, catalog)) : await scoreRows(asked);
  // Numbers of the evidence are rounded.
  return readScoredTable(scoredTableBytes(records), "scored records");
}
