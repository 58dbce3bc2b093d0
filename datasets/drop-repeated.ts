import type { LabelledRequest } from "../src/documents/dataset.js";
import { nearDuplicates } from "./near-duplicates.js";

/**
 * Rows without near-repeats of an earlier remaining row, whatever their labels, in the same order. Needed where many
 * workflows share stock phrases: near-duplicates must stay in one fold, and would join all of them.
 */
export function dropRepeated(rows: readonly LabelledRequest[]): readonly LabelledRequest[] {
  const dropped = new Set<number>();
  for (const { first, second } of nearDuplicates(rows.map((row) => row.text))) {
    if (!dropped.has(first)) dropped.add(second);
  }
  // Without the dropped rows a bucket has other leaders, which can bring up further pairs.
  return dropped.size === 0 ? rows : dropRepeated(rows.filter((_, index) => !dropped.has(index)));
}
