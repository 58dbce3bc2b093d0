import { nodeHash } from "./merkle.js";

/**
 * Reads the root of a full subtree of `2 ** level` leaves.
 * @param end  number of its last leaf, counted from 1; a multiple of `2 ** level`
 */
export type NodeReader = (level: number, end: number) => Buffer;

/** Largest power of two below `size`; `size` is at least 2. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/** Root of the leaves from `start` (counted from 0, inclusive) to `end` (exclusive): a subtree of an RFC 6962 tree. */
function subtreeRoot(read: NodeReader, start: number, end: number): Buffer {
  const level = Math.log2(end - start);
  if (Number.isInteger(level)) return read(level, end);
  const middle = start + splitOf(end - start);
  return nodeHash(subtreeRoot(read, start, middle), subtreeRoot(read, middle, end));
}

/**
 * Consistency proof of RFC 6962, section 2.1.2: it shows that the tree of `from` leaves is a prefix of the tree of `to`
 * leaves. Empty for equal sizes.
 * @param from  1 to `to`
 */
export function consistencyPath(read: NodeReader, from: number, to: number): readonly Buffer[] {
  const path: Buffer[] = [];
  let [start, end] = [0, to];
  while (end > from) {
    const middle = start + splitOf(end - start);
    if (from <= middle) {
      path.push(subtreeRoot(read, middle, end));
      end = middle;
    } else {
      path.push(subtreeRoot(read, start, middle));
      start = middle;
    }
  }
  // The verifier has the root of the older tree, so only a smaller subtree needs to be included.
  if (start > 0) path.push(subtreeRoot(read, start, end));
  return path.reverse();
}
