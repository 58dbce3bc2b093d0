import type { ScoredRecord } from "../src/documents/scored-record.js";
import { SluiceError } from "../src/base/error.js";

/** The records of two runs, paired by request. */
export interface PairedRecords {
  /** Requests that both sides scored, by id. */
  readonly pairs: readonly { readonly a: ScoredRecord; readonly b: ScoredRecord }[];
  /** Requests left out because they are in one run only, or failed on one side. */
  readonly only_in_a: number;
  readonly only_in_b: number;
  readonly not_scored: number;
}

/**
 * @throws {SluiceError} DATASET_INVALID  no request is in both runs, or a request has two different gold workflows
 *   (different catalogs)
 */
export function pairRecords(a: Iterable<ScoredRecord>, b: Iterable<ScoredRecord>): PairedRecords {
  const inA = new Map<string, ScoredRecord>();
  for (const record of a) inA.set(record.id, record);
  const pairs: { a: ScoredRecord; b: ScoredRecord }[] = [];
  let onlyInB = 0;
  let notScored = 0;
  for (const record of b) {
    const other = inA.get(record.id);
    inA.delete(record.id);
    if (other === undefined) onlyInB += 1;
    else if (other.error_code !== null || record.error_code !== null) notScored += 1;
    else pairs.push({ a: other, b: requireOneLabel(other, record) });
  }
  if (pairs.length === 0) {
    throw new SluiceError("DATASET_INVALID", "found no request that both runs have scored, expected one dataset", {
      hint: "Compare two runs of one dataset and fold: sluice eval list",
    });
  }
  pairs.sort((x, y) => (x.a.id < y.a.id ? -1 : 1));
  return { pairs, only_in_a: inA.size, only_in_b: onlyInB, not_scored: notScored };
}

function requireOneLabel(a: ScoredRecord, b: ScoredRecord): ScoredRecord {
  if (a.workflow_id === b.workflow_id) return b;
  throw new SluiceError(
    "DATASET_INVALID",
    `request ${a.id}: the runs give it different workflows, expected one label`,
    {
      hint: "Compare runs of one dataset and one catalog: sluice eval list",
    },
  );
}
