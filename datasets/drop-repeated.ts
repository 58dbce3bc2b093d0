import type { LabelledRequest } from "../src/documents/dataset.js";
import { nearDuplicates } from "./near-duplicates.js";

/**
 * Removes near-duplicates of earlier remaining rows, regardless of label; keeps the order. Needed if many workflows
 * share stock phrases: near-duplicates must stay in one fold and would join all of these workflows.
 */
export function dropRepeated(rows: readonly LabelledRequest[]): readonly LabelledRequest[] {
  const dropped = new Set<number>();
  for (const { first, second } of nearDuplicates(rows.map((row) => row.text))) {
    if (!dropped.has(first)) dropped.add(second);
  }
  // Without the dropped rows, buckets have different first rows, which can reveal further pairs.
  return dropped.size === 0 ? rows : dropRepeated(rows.filter((_, index) => !dropped.has(index)));
}
