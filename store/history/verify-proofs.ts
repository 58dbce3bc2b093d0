import { nodeHash } from "./merkle.js";

/** Size and root of a tree, as stated by a checkpoint. */
export interface TreeHead {
  readonly size: number;
  readonly root: Buffer;
}

/** Position within a proof: a node, and the last node of its level, counted from 0. */
interface Position {
  readonly node: number;
  readonly last: number;
}

const isOdd = (value: number): boolean => value % 2 === 1;
const above = ({ node, last }: Position): Position => ({ node: Math.floor(node / 2), last: Math.floor(last / 2) });
const siblingIsLeft = ({ node, last }: Position): boolean => isOdd(node) || node === last;

/** The position after using one hash of the proof; skips levels at which the node has no sibling. */
function next(position: Position): Position {
  let at = position;
  if (siblingIsLeft(at)) while (!isOdd(at.node) && at.node !== 0) at = above(at);
  return above(at);
}

/** Whether the proof shows that `older` is a prefix of `newer` (RFC 9162, section 2.1.4.2). */
export function verifyConsistency(path: readonly Uint8Array[], older: TreeHead, newer: TreeHead): boolean {
  if (older.size < 1 || older.size > newer.size) return false;
  if (older.size === newer.size) return path.length === 0 && older.root.equals(newer.root);
  const isFullTree = Number.isInteger(Math.log2(older.size));
  const [first, ...rest] = isFullTree ? [older.root, ...path] : path;
  return first !== undefined && joinsBothRoots(first, rest, older, newer);
}

/** Climbs from the largest subtree at the end of the older tree, computing both roots. */
function joinsBothRoots(first: Uint8Array, rest: readonly Uint8Array[], older: TreeHead, newer: TreeHead): boolean {
  let at: Position = { node: older.size - 1, last: newer.size - 1 };
  while (isOdd(at.node)) at = above(at);
  let olderHash = first;
  let newerHash = first;
  for (const sibling of rest) {
    if (at.last === 0) return false;
    const left = siblingIsLeft(at);
    if (left) olderHash = nodeHash(sibling, olderHash);
    newerHash = left ? nodeHash(sibling, newerHash) : nodeHash(newerHash, sibling);
    at = next(at);
  }
  return at.last === 0 && older.root.equals(olderHash) && newer.root.equals(newerHash);
}
