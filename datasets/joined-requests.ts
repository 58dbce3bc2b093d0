import { sha256Hex } from "../src/base/sha256.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { SeveralWishes } from "../src/documents/several-wishes.js";
import type { LeftOutPart } from "./left-out.js";

/** Maximum number of joined texts, enough to know a share within seven points. */
const mostJoined = 200;

export interface JoinChoices {
  /** null or absent: nothing is joined. */
  readonly words: Pick<SeveralWishes, "joins"> | null | undefined;
  /** Workflows whose requests are out of scope. */
  readonly removed: ReadonlySet<string>;
  /** Rows that are scored over the same catalog. Default: all. */
  readonly parts?: readonly Pick<LeftOutPart, "rows">[] | undefined;
}

/**
 * Texts with two wishes, made of labelled requests: some rows, each joined with one for another workflow that is scored
 * over the same catalog. They show how many such texts are recognised. Depends on ids, labels and texts alone.
 * @returns  joined texts by row id
 */
export function joinedRequests(
  rows: readonly LabelledRequest[],
  { words, removed, parts }: JoinChoices,
): ReadonlyMap<string, string> {
  if (words === null || words === undefined) return new Map();
  const single = rows
    .filter(({ workflow_id: id, withdrawn }) => id !== null && !removed.has(id) && withdrawn === undefined)
    .map((row) => ({ ...row, digest: sha256Hex(row.id) }))
    .sort((a, b) => (a.digest < b.digest ? -1 : 1));
  const groups = parts?.map((part) => single.filter(({ id }) => part.rows.has(id))) ?? [single];
  const pairs = groups.flatMap((group) =>
    group.flatMap((row, index) => {
      const other = [...group.slice(index + 1), ...group].find((one) => one.workflow_id !== row.workflow_id);
      return other === undefined ? [] : [{ row, other }];
    }),
  );
  const drawn = pairs.sort((a, b) => (a.row.digest < b.row.digest ? -1 : 1)).slice(0, mostJoined);
  return new Map(
    drawn.map(({ row, other }, index) => [row.id, join(row.text, other.text, words.joins[index % words.joins.length])]),
  );
}

const join = (left: string, right: string, between = ", "): string =>
  `${left.trim().replace(/[.?!,;\s]+$/u, "")}${between}${right.trim()}`;
