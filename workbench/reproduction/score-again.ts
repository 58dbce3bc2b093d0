import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { foldOf } from "../../datasets/split-by-workflow.js";
import { populationByOwnFold } from "../../eval/population-of.js";
import { readScoredTable, scoredTableBytes } from "../../eval/scored-table.js";
import type { Run, ScoredRecord } from "../../src/domain/scored-record.js";
import { removedWorkflows } from "../../src/domain/split.js";
import { scoreRows } from "../evaluation/score-rows.js";
import { type Kept, readCatalog, readDataset, readModel, readPolicy, readSplit } from "../records/read-records.js";
import type { Stage } from "../records/stage.js";

/**
 * Scores the dataset of a run again with the models of the run. Neither the stored scores nor the embedding cache of the
 * workspace is read.
 */
export async function scoreAgain(
  { history, context }: Stage,
  { document }: Kept<Run>,
  workers: number,
): Promise<readonly ScoredRecord[]> {
  const split = readSplit(history, document.splitSha256).document;
  const vectors = await mkdtemp(join(tmpdir(), "sluice-reproduce-"));
  try {
    const { records } = await scoreRows({
      catalog: readCatalog(history, document.catalogSha256).document,
      policy: readPolicy(history, document.policySha256).document,
      context: { signal: context.signal, workspace: { ...context.workspace, vectors } },
      progress: context.progress,
      models: {
        retrieverFiles: readModel(history, document.retrieverSha256).files,
        verifierFiles: readModel(history, document.verifierSha256).files,
      },
      workers,
      rows: readDataset(history, document.datasetSha256).document,
      foldOf: foldOf(split),
      removedWorkflows: removedWorkflows(split),
    });
    // As the run stores them: numbers of the evidence are rounded.
    const stored = readScoredTable(scoredTableBytes(records), "records scored again");
    return document.schemaVersion === 1 ? stored.map(asInVersion1) : stored;
  } finally {
    await rm(vectors, { recursive: true, force: true });
  }
}

const asInVersion1 = (record: ScoredRecord): ScoredRecord =>
  record.workflowId === null ? record : { ...record, population: populationByOwnFold(record) };
