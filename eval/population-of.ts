import type { LabelledRequest } from "../src/documents/dataset.js";
import type { Fold } from "../src/documents/choices.js";
import type { Population } from "../src/documents/population.js";
import { foldOfRow } from "../src/documents/split.js";

interface SplitRows {
  readonly rows: readonly LabelledRequest[];
  /** Fold of every cluster, or of every row. */
  readonly foldOf: ReadonlyMap<string, Fold>;
  /** Workflows that the split removed from the catalog. Default: none. */
  readonly removedWorkflows?: ReadonlySet<string>;
}

/** The population of each row under a split, which depends on whether its workflow has a row in FIT. */
export function populationsOf({ rows, foldOf, removedWorkflows }: SplitRows): (row: LabelledRequest) => Population {
  const isRemoved = ({ workflow_id: workflowId }: LabelledRequest): boolean =>
    workflowId !== null && removedWorkflows?.has(workflowId) === true;
  const seen = new Set(rows.flatMap((row) => (foldOfRow(row, foldOf) === "fit" ? [row.workflow_id] : [])));
  return (row) => {
    if (row.workflow_id === null || isRemoved(row)) return outOfScope(row.slices ?? {}, isRemoved(row));
    return seen.has(row.workflow_id) ? "seen" : "unseen_workflow";
  };
}

const outOfScope = (slices: Readonly<Record<string, string>>, removed: boolean): Population =>
  removed || slices["oos"]?.startsWith("near") === true ? "near_oos" : "far_oos";
