import { SluiceError } from "../../src/base/error.js";
import { withDatabaseErrors } from "./database-error.js";
import type { History } from "./open.js";
import { consistencyPath, inclusionPath } from "./proofs.js";
import { nodesOf, treeSize } from "./tree.js";
import type { InclusionProof } from "./verify-proofs.js";

/** An inclusion proof, with the bytes of the leaf. */
export interface EntryProof extends InclusionProof {
  /** Canonical JSON of the entry. */
  readonly body: Buffer;
}

function requireSize(history: History, size: number): void {
  const entries = treeSize(history);
  if (size <= entries) return;
  throw new SluiceError(
    "HISTORY_TAMPERED",
    `${history.path}: ${entries} entries, expected at least ${size} for this proof`,
    {
      hint: "Check which history this is: sluice history verify --checkpoint FILE",
    },
  );
}

/**
 * Proves that an entry is among the first `size` entries.
 * @param seq  1 to `size`
 * @throws {SluiceError} RECORD_NOT_FOUND, HISTORY_TAMPERED
 */
export function proveEntry(history: History, seq: number, size: number): EntryProof {
  const find = history.database.prepare<[number], Buffer>("SELECT body FROM entry WHERE seq = ?").pluck();
  return withDatabaseErrors(history.path, () => {
    requireSize(history, size);
    const body = seq > size ? undefined : find.get(seq);
    if (body === undefined) {
      throw new SluiceError("RECORD_NOT_FOUND", `there is no entry ${seq} among the first ${size}`, {
        hint: "Find its number with: sluice history log; a later entry requires a later checkpoint.",
      });
    }
    const read = nodesOf(history);
    return { index: seq - 1, leaf: read(0, seq), path: inclusionPath(read, seq - 1, size), body };
  });
}

/**
 * Proves that the first `from` entries are a prefix of the first `to` entries.
 * @param from  1 to `to`
 * @throws {SluiceError} HISTORY_TAMPERED
 */
export function proveConsistency(history: History, from: number, to: number): readonly Buffer[] {
  return withDatabaseErrors(history.path, () => {
    requireSize(history, to);
    return consistencyPath(nodesOf(history), from, to);
  });
}
