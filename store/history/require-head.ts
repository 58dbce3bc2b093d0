import { counted } from "../../src/documents/number-text.js";
import { SluiceError } from "../../src/base/error.js";
import { type Checkpoint, originOf, readCheckpoint } from "./checkpoint.js";
import type { History } from "./open.js";
import { getBlob, listEntries } from "./read.js";
import { nodesOf, treeHead, treeSize } from "./tree.js";

const keepAsEvidence = "Keep the file as evidence, restore a backup, and find out who changed it.";

/** Identity of the history, derived from its first entry; undefined while it is empty. */
export function historyOrigin(history: History): string | undefined {
  return treeSize(history) === 0 ? undefined : originOf(nodesOf(history)(0, 1));
}

/**
 * Checks that the history begins with exactly the entries that a checkpoint covers. Valid only for a history that
 * `verifyHistory` accepted.
 * @param what  name of the checkpoint in messages
 * @throws {SluiceError} HISTORY_TAMPERED, HISTORY_FORK
 */
export function requireHead(history: History, checkpoint: Checkpoint, what: string): void {
  const { size, root, origin } = checkpoint;
  const details = { checkpoint: what, size };
  const found = treeSize(history);
  if (found < size) {
    const text = `${history.path}: ${counted(found, "entry", "entries")}, but ${what} covers ${size}; ${size - found} missing at the end`;
    throw new SluiceError("HISTORY_TAMPERED", text, { hint: keepAsEvidence, details });
  }
  if (historyOrigin(history) !== origin) {
    const text = `${history.path}: its first entry differs from that of ${what}`;
    throw new SluiceError("HISTORY_FORK", text, { hint: keepAsEvidence, details });
  }
  if (treeHead(history, size).root.equals(root)) return;
  const text = `${history.path}: its first ${counted(size, "entry differs", "entries differ")} from those that ${what} covers`;
  throw new SluiceError("HISTORY_FORK", text, { hint: keepAsEvidence, details });
}

export interface StoredCheckpoint {
  readonly seq: number;
  readonly bytes: Buffer;
  readonly checkpoint: Checkpoint;
}

/** Checkpoints stored in the history, oldest first. @throws {SluiceError} NOT_CANONICAL, HISTORY_TAMPERED */
function storedCheckpoints(history: History): readonly StoredCheckpoint[] {
  return listEntries(history, { kind: "checkpoint" }).map(({ seq, sha256 }) => {
    const bytes = getBlob(history, sha256);
    return { seq, bytes, checkpoint: readCheckpoint(bytes, `checkpoint of entry ${seq}`) };
  });
}

/** Checks the history against every checkpoint stored in it. @throws {SluiceError} HISTORY_FORK, HISTORY_TAMPERED */
export function requireKeptHeads(history: History): void {
  for (const { seq, checkpoint } of storedCheckpoints(history)) {
    requireHead(history, checkpoint, `the checkpoint of entry ${seq}`);
  }
}
