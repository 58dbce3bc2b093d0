import { foldOf } from "../../../datasets/split-by-workflow.js";
import type { Workflow } from "../../../src/domain/catalog.js";
import type { LabelledRequest } from "../../../src/domain/dataset.js";
import { foldOfRow, type SplitWire } from "../../../src/domain/split.js";
import type { InferencePool } from "../../../src/inference/pool.js";
import { loadRetriever } from "../../../src/retrieval/load-retriever.js";
import type { ModelFiles } from "../../../src/retrieval/model-files.js";
import { countRecall, type RecallCounts } from "../../fit/words/held-out-recall.js";

/** Recall of a retriever over a whole catalog, on the requests of the workflows in the TUNE fold. */
export async function foldRecall(
  retriever: ModelFiles,
  data: {
    readonly split: SplitWire;
    readonly workflows: readonly Workflow[];
    readonly rows: readonly LabelledRequest[];
  },
  pool: InferencePool,
): Promise<RecallCounts> {
  const active = data.workflows.filter(({ status }) => status === "active");
  const position = new Map(active.map(({ workflowId }, index) => [workflowId, index]));
  const folds = foldOf(data.split);
  const queries = data.rows.flatMap((row) => {
    const label = row.workflowId === null ? undefined : position.get(row.workflowId);
    return label === undefined || foldOfRow(row, folds) !== "tune" ? [] : [{ text: row.text, label }];
  });
  return countRecall(await loadRetriever(retriever, active, pool), queries);
}
