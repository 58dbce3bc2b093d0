import type { LabelledRequest } from "../src/domain/dataset.js";
import type { Fold } from "../src/domain/choices.js";
import type { Population } from "../src/domain/population.js";
import type { ScoredRecord } from "../src/domain/scored-record.js";
import { foldOfRow } from "../src/domain/split.js";

interface SplitRows {
  readonly rows: readonly LabelledRequest[];
  /** Fold of every cluster, or of every row. */
  readonly foldOf: ReadonlyMap<string, Fold>;
  /** Workflows that the split took out of the catalog. Default: none. */
  readonly removedWorkflows?: ReadonlySet<string>;
}

/** The population of each row under a split, as runs of version 2 store it. */
export function populationsOf({ rows, foldOf, removedWorkflows }: SplitRows): (row: LabelledRequest) => Population {
  const isRemoved = ({ workflowId }: LabelledRequest): boolean =>
    workflowId !== null && removedWorkflows?.has(workflowId) === true;
  const seen = new Set(rows.flatMap((row) => (foldOfRow(row, foldOf) === "fit" ? [row.workflowId] : [])));
  return (row) => {
    if (row.workflowId === null || isRemoved(row)) return outOfScope(row.slices ?? {}, isRemoved(row));
    return seen.has(row.workflowId) ? "seen" : "unseen_workflow";
  };
}

/**
 * The population of a request as runs of version 1 store it: by the fold of the request itself, so that a split by
 * request has `unseen_workflow` for workflows that are in FIT too. See docs/adr/0035.
 */
export function populationByOwnFold({
  workflowId,
  fold,
  slices,
}: Pick<ScoredRecord, "workflowId" | "fold" | "slices">): Population {
  if (workflowId === null) return outOfScope(slices, false);
  return fold === "fit" ? "seen" : "unseen_workflow";
}

const outOfScope = (slices: Readonly<Record<string, string>>, removed: boolean): Population =>
  removed || slices["oos"]?.startsWith("near") === true ? "near_oos" : "far_oos";
