import type { LabelledRequest } from "../src/documents/dataset.js";
import { SluiceError } from "../src/base/error.js";

/** The key that a row shares with rows that must be in the same fold; null if there is none. */
export type SplitKey = (row: LabelledRequest) => string | null;

const workflowPrefix = ({ workflow_id: workflowId }: LabelledRequest): string | null =>
  workflowId?.includes(".") === true ? (workflowId.split(".")[0] ?? null) : null;

/**
 * The key that no two folds of a split share in addition to workflows. `workflow`: no additional key. `domain`: the
 * slice `domain`, or the workflow id before its first dot. `group`: the `group_id`. Any other name: the slice of this
 * name, e.g. `service`.
 * @throws {SluiceError} USAGE  no row has such a key
 */
export function splitKey(by: string, rows: readonly LabelledRequest[]): SplitKey {
  const key = keyOf(by);
  if (by === "workflow" || rows.some((row) => key(row) !== null)) return key;
  const slices = [...new Set(rows.flatMap((row) => Object.keys(row.slices ?? {})))].sort();
  throw new SluiceError("USAGE", `no request has a ${by} to split by; the slices are ${slices.join(", ") || "none"}`, {
    hint: "Split by workflow, domain, group or one of the slices.",
  });
}

function keyOf(by: string): SplitKey {
  switch (by) {
    case "workflow":
      return () => null;
    case "domain":
      return (row) => row.slices?.["domain"] ?? workflowPrefix(row);
    case "group":
      return (row) => row.group_id ?? null;
    default:
      return (row) => row.slices?.[by] ?? null;
  }
}
