import { clusterOf, type LabelledRequest } from "../src/documents/dataset.js";
import { DisjointSets } from "./families.js";
import { SluiceError } from "../src/base/error.js";

/** Clusters that stay in one fold because they share a family or a value of the split key. */
export interface SplitUnit {
  /** Cluster names, sorted. */
  readonly clusters: readonly string[];
  readonly rows: readonly LabelledRequest[];
}

/**
 * Clusters of a dataset (see `clusterOf`), joined if they share a family or a key.
 * @param familyOf  family of each row, in row order
 * @returns  units sorted by their first cluster, so that the order of the rows does not matter
 */
export function splitUnits(
  rows: readonly LabelledRequest[],
  key: SplitKey,
  familyOf: readonly string[],
): readonly SplitUnit[] {
  const clusters = rows.map(clusterOf);
  const numbers = new Map([...new Set(clusters)].sort().map((cluster, number) => [cluster, number] as const));
  const clusterAt = (index: number): number => numbers.get(clusters[index]) ?? 0;
  const join = new DisjointSets(numbers.size);
  for (const nameOf of [(index: number) => familyOf[index], (index: number) => key(rows[index])]) {
    const first = new Map<string, number>();
    for (const index of rows.keys()) {
      const name = nameOf(index);
      if (name === null) continue;
      const known = first.get(name);
      if (known === undefined) first.set(name, clusterAt(index));
      else join.union(known, clusterAt(index));
    }
  }
  const units = new Map<number, { readonly clusters: Set<string>; readonly rows: LabelledRequest[] }>();
  for (const [index, row] of rows.entries()) {
    const root = join.find(clusterAt(index));
    const unit = units.get(root) ?? { clusters: new Set(), rows: [] };
    unit.clusters.add(clusters[index]);
    unit.rows.push(row);
    units.set(root, unit);
  }
  return [...units]
    .sort(([a], [b]) => a - b)
    .map(([, unit]) => ({ clusters: [...unit.clusters].sort(), rows: unit.rows.sort(byId) }));
}

const byId = (a: LabelledRequest, b: LabelledRequest): number => (a.id < b.id ? -1 : 1);

/** The key that a row shares with rows that must be in the same fold; null if there is none. */
type SplitKey = (row: LabelledRequest) => string | null;

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
  throw new SluiceError("USAGE", `no request has the slice "${by}"; the slices are ${slices.join(", ") || "none"}`, {
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
