import { command, say, SluiceError } from "../../src/base/error.js";
import { withDatabaseErrors } from "./database-error.js";
import { type CompactRange, rootOf } from "./merkle.js";
import type { History } from "./open.js";

const hashBytes = 32;

/**
 * Reads the root of a full subtree of `2 ** level` leaves.
 * @param end  number of its last leaf, counted from 1; a multiple of `2 ** level`
 */
export type NodeReader = (level: number, end: number) => Buffer;

export interface TreeHead {
  readonly size: number;
  readonly root: Buffer;
}

export function treeSize(history: History): number {
  const read = history.database.prepare<[], number>("SELECT coalesce(max(seq), 0) FROM entry").pluck();
  return withDatabaseErrors(history.path, () => read.get() ?? 0);
}

/**
 * Reads leaves and inner nodes stored in the entries. They are unverified: `verifyHistory` checks them.
 */
export function nodesOf(history: History): NodeReader {
  const leaf = history.database.prepare<[number], Buffer>("SELECT leaf FROM entry WHERE seq = ?").pluck();
  const node = history.database
    .prepare<[number, number], Buffer>(`SELECT substr(nodes, ?, ${hashBytes}) FROM entry WHERE seq = ?`)
    .pluck();
  return (level, end) => {
    const found = level === 0 ? leaf.get(end) : node.get((level - 1) * hashBytes + 1, end);
    if (found?.length === hashBytes) return found;
    throw new SluiceError("HISTORY_TAMPERED", `entry ${end}: a Merkle node of level ${level} is missing`, {
      hint: say`For details: ${command`sluice history verify`}`,
      details: { seq: end },
    });
  };
}

/** The right edge of the tree over the first `size` entries; `size` must not exceed the number of entries. */
export function readRange(history: History, size: number): CompactRange {
  const read = nodesOf(history);
  const roots: Buffer[] = [];
  let end = 0;
  for (let level = Math.floor(Math.log2(size)); size > end; level -= 1) {
    if (size - end < 2 ** level) continue;
    end += 2 ** level;
    roots.push(read(level, end));
  }
  return { size, roots };
}

/** Size and root over the first `size` entries. */
export function treeHead(history: History, size: number): TreeHead {
  return { size, root: rootOf(readRange(history, size)) };
}
