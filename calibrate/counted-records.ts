import { sha256Hex } from "../src/base/sha256.js";
import type { ClaimKind } from "../src/documents/choices.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";

/**
 * The records that a claim counts. Every request is evidence about new workflows, where requests of a workflow are not
 * taken as independent. About one catalog, where they are, a family counts once: the member whose id has the smallest
 * SHA-256, which no label, score or order of the rows influences; before it a row that left the data after its score was
 * seen.
 */
export function countedRecords(records: readonly ScoredRecord[], claim: ClaimKind): readonly ScoredRecord[] {
  if (claim !== "fixed-catalog") return records;
  const chosen = new Map<string, { readonly id: string; readonly digest: string }>();
  for (const { id, family, slices } of records) {
    if (family === undefined) continue;
    const digest = `${slices["retained"] === undefined ? 1 : 0} ${sha256Hex(id)}`;
    const known = chosen.get(family);
    if (known === undefined || digest < known.digest) chosen.set(family, { id, digest });
  }
  return records.filter(({ id, family }) => family === undefined || chosen.get(family)?.id === id);
}
