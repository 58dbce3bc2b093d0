import { nearDuplicates } from "../../datasets/near-duplicates.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { Fold } from "../../src/documents/choices.js";

export interface ScoredRow {
  readonly row: LabelledRequest;
  readonly record: ScoredRecord;
}

/**
 * Requests from which suggestions are chosen, and other requests for measuring them. The two groups contain no
 * near-duplicates of each other.
 */
export interface LearnableRows {
  readonly choose: readonly ScoredRow[];
  readonly measure: readonly ScoredRow[];
}

/** Folds whose labels no claim tests. */
const untested = (testsTune: boolean): ReadonlySet<Fold> => new Set(testsTune ? ["fit"] : ["fit", "tune"]);

export interface LearnableOptions {
  /** Whether calibrations of this run test TUNE in addition to CERTIFY, as with cross-fitting. */
  readonly testsTune: boolean;
  /** Whether models were fitted on FIT, which then cannot be used for measuring. */
  readonly fittedOnFit: boolean;
}

/**
 * Divides the requests that no claim tests: FIT, and TUNE if the claim tests only CERTIFY. Acting on a tested label
 * would invalidate the claim, so none is read. Half of each label's requests, chosen by a digest of their ids, are used
 * for measuring, but not requests in FIT if models were fitted on it.
 */
export function learnableRows(
  rows: readonly LabelledRequest[],
  records: readonly ScoredRecord[],
  { testsTune, fittedOnFit }: LearnableOptions,
): LearnableRows {
  const learnable = untested(testsTune);
  const byId = new Map(records.map((record) => [record.id, record]));
  const known = rows.flatMap((row): readonly ScoredRow[] => {
    const record = byId.get(row.id);
    return record === undefined || record.error_code !== null || !learnable.has(record.fold) ? [] : [{ row, record }];
  });
  const families = familiesOf(known);
  const sides = sidesOf(families, fittedOnFit);
  const on = (side: Side): readonly ScoredRow[] =>
    families.flatMap((family, index) => (sides[index] === side ? family : []));
  return { choose: on("choose"), measure: on("measure") };
}

type Side = keyof LearnableRows;

/** Groups near-duplicate rows into families, sorted by a digest of their first id. */
function familiesOf(rows: readonly ScoredRow[]): readonly (readonly ScoredRow[])[] {
  const family = rows.map((_, index) => index);
  const rootOf = (index: number): number => {
    const parent = family[index] ?? index;
    return parent === index ? index : rootOf(parent);
  };
  for (const { first, second } of nearDuplicates(rows.map(({ row }) => row.text))) {
    family[rootOf(second)] = rootOf(first);
  }
  const families = new Map<number, ScoredRow[]>();
  for (const [index, row] of rows.entries()) {
    const root = rootOf(index);
    families.set(root, [...(families.get(root) ?? []), row]);
  }
  return [...families.values()]
    .map((members) => ({ members, key: sha256Hex(members[0]?.row.id ?? "") }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ members }) => members);
}

/**
 * Assigns the families of a label alternately to the two groups. A family with a request that models were fitted on is
 * never used for measuring.
 */
function sidesOf(families: readonly (readonly ScoredRow[])[], fittedOnFit: boolean): readonly Side[] {
  const last = new Map<string | null, Side>();
  return families.map((family) => {
    const label = family[0]?.record.workflow_id ?? null;
    if (fittedOnFit && family.some(({ record }) => record.fold === "fit")) return "choose";
    const side: Side = last.get(label) === "choose" ? "measure" : "choose";
    last.set(label, side);
    return side;
  });
}
