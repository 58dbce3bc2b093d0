import { nodeHash } from "./merkle.js";

/** That a leaf is in a tree. */
export interface InclusionProof {
  /** Of the leaf, from 0. */
  readonly index: number;
  readonly leaf: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/** Size and root of a tree, as a checkpoint states them. */
export interface TreeHead {
  readonly size: number;
  readonly root: Buffer;
}

const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);

/** Whether the proof leads from its leaf to the root; RFC 9162, section 2.1.3.2. */
export function verifyInclusion({ index, leaf, path }: InclusionProof, head: TreeHead): boolean {
  if (index < 0 || index >= head.size) return false;
  let [position, last] = [index, head.size - 1];
  let hash: Uint8Array = leaf;
  for (const sibling of path) {
    if (last === 0) return false;
    if (isOdd(position) || position === last) {
      hash = nodeHash(sibling, hash);
      while (!isOdd(position) && position !== 0) [position, last] = [half(position), half(last)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [position, last] = [half(position), half(last)];
  }
  return last === 0 && head.root.equals(hash);
}

/** Whether the proof shows that `older` is the beginning of `newer`; RFC 9162, section 2.1.4.2. */
export function verifyConsistency(path: readonly Uint8Array[], older: TreeHead, newer: TreeHead): boolean {
  if (older.size < 1 || older.size > newer.size) return false;
  if (older.size === newer.size) return path.length === 0 && older.root.equals(newer.root);
  const isFullTree = Number.isInteger(Math.log2(older.size));
  const [first, ...rest] = isFullTree ? [older.root, ...path] : path;
  if (first === undefined) return false;
  let [position, last] = [older.size - 1, newer.size - 1];
  while (isOdd(position)) [position, last] = [half(position), half(last)];
  let [olderHash, newerHash]: [Uint8Array, Uint8Array] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (isOdd(position) || position === last) {
      olderHash = nodeHash(sibling, olderHash);
      newerHash = nodeHash(sibling, newerHash);
      while (!isOdd(position) && position !== 0) [position, last] = [half(position), half(last)];
    } else {
      newerHash = nodeHash(newerHash, sibling);
    }
    [position, last] = [half(position), half(last)];
  }
  return last === 0 && older.root.equals(olderHash) && newer.root.equals(newerHash);
}
