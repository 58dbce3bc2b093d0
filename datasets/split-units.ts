import { clusterOf, type LabelledRequest } from "../src/domain/dataset.js";
import { nearDuplicates } from "./near-duplicates.js";
import type { SplitKey } from "./split-key.js";

/** Clusters that stay in one fold because they share near-duplicate texts. */
export interface SplitUnit {
  /** Sorted. */
  readonly clusters: readonly string[];
  readonly rows: readonly LabelledRequest[];
}

/**
 * Clusters of a dataset (see `clusterOf`), joined where a text of one is a near-duplicate of a text of another, and
 * where rows of both have the same key.
 * @param clusterName  what always stays together; by default the cluster of the claims
 * @returns units sorted by their first cluster, so that the order of the rows does not matter
 */
export function splitUnits(
  unordered: readonly LabelledRequest[],
  key: SplitKey,
  clusterName: (row: LabelledRequest) => string = clusterOf,
): readonly SplitUnit[] {
  const rows = unordered.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const clusters = rows.map(clusterName);
  const join = joinedClusters(rows, clusters, key);
  const units = new Map<string, { readonly clusters: Set<string>; readonly rows: LabelledRequest[] }>();
  for (const [index, row] of rows.entries()) {
    const cluster = clusters[index] ?? "";
    const root = join.find(cluster);
    const unit = units.get(root) ?? { clusters: new Set(), rows: [] };
    unit.clusters.add(cluster);
    unit.rows.push(row);
    units.set(root, unit);
  }
  return [...units.values()]
    .map((unit) => ({ clusters: [...unit.clusters].sort(), rows: unit.rows }))
    .sort((a, b) => ((a.clusters[0] ?? "") < (b.clusters[0] ?? "") ? -1 : 1));
}

function joinedClusters(
  rows: readonly LabelledRequest[],
  clusters: readonly string[],
  key: SplitKey,
): Pick<DisjointSets, "find"> {
  const join = new DisjointSets();
  for (const pair of nearDuplicates(rows.map((row) => row.text))) {
    join.union(clusters[pair.first] ?? "", clusters[pair.second] ?? "");
  }
  const clusterOfKey = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    const value = key(row);
    if (value === null) continue;
    const cluster = clusters[index] ?? "";
    const first = clusterOfKey.get(value);
    if (first === undefined) clusterOfKey.set(value, cluster);
    else join.union(first, cluster);
  }
  return join;
}

/** Union-find over names; the smaller name is the root, so roots do not depend on the order of the unions. */
class DisjointSets {
  readonly #parent = new Map<string, string>();

  find(name: string): string {
    let root = name;
    for (let parent = this.#parent.get(root); parent !== undefined; parent = this.#parent.get(root)) root = parent;
    for (let at = name; at !== root; ) {
      const next = this.#parent.get(at) ?? root;
      this.#parent.set(at, root);
      at = next;
    }
    return root;
  }

  union(a: string, b: string): void {
    const [first, second] = [this.find(a), this.find(b)].sort();
    if (first !== undefined && second !== undefined && first !== second) this.#parent.set(second, first);
  }
}
