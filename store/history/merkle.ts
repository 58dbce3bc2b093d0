import { createHash } from "node:crypto";

const leafPrefix = Buffer.from([0]);
const nodePrefix = Buffer.from([1]);

/**
 * Right edge of an RFC 6962 tree: the roots of its full subtrees, largest first. This suffices to append leaves and to
 * compute the root.
 */
export interface CompactRange {
  readonly size: number;
  readonly roots: readonly Buffer[];
}

/** A tree after appending one leaf. */
export interface ExtendedRange {
  readonly range: CompactRange;
  /** Roots of the subtrees that the leaf completed: of 2 leaves, of 4, and so on. Empty for every second leaf. */
  readonly nodes: readonly Buffer[];
}

export const emptyRange: CompactRange = { size: 0, roots: [] };

/** Hash of a leaf: SHA-256(0x00 || body). */
export function leafHash(body: Uint8Array): Buffer {
  return createHash("sha256").update(leafPrefix).update(body).digest();
}

/** Hash of an inner node: SHA-256(0x01 || left || right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash("sha256").update(nodePrefix).update(left).update(right).digest();
}

/** Appends one leaf hash. It merges with full subtrees of equal height on the right edge. */
export function appendLeaf(range: CompactRange, leaf: Buffer): ExtendedRange {
  const roots = [...range.roots];
  const nodes: Buffer[] = [];
  let merged = leaf;
  for (let size = range.size; size % 2 === 1; size = (size - 1) / 2) {
    const left = roots.pop();
    if (left === undefined) throw new RangeError(`a tree of ${range.size} leaves has too few roots`);
    merged = nodeHash(left, merged);
    nodes.push(merged);
  }
  return { range: { size: range.size + 1, roots: [...roots, merged] }, nodes };
}

/** Root of the tree; for an empty tree, the SHA-256 of the empty string. */
export function rootOf(range: CompactRange): Buffer {
  const [last, ...rest] = range.roots.toReversed();
  if (last === undefined) return createHash("sha256").digest();
  return rest.reduce((right, left) => nodeHash(left, right), last);
}
