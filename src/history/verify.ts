import { sha256Hex } from "../digest/sha256.js";
import { SluiceError } from "../errors/error.js";
import { withDatabaseErrors } from "./database-error.js";
import { type HistoryEntry, leafBody } from "./entry.js";
import { appendLeaf, type CompactRange, emptyRange, leafHash, rootOf } from "./merkle.js";
import type { History } from "./open.js";
import { listEntries } from "./read.js";

export interface VerifiedHistory {
  readonly entries: number;
  /** Merkle root over all entries, lower-case hex. */
  readonly root: string;
}

interface LeafRow {
  readonly seq: number;
  readonly leaf: Buffer;
  readonly body: Buffer;
}

function tampered(seq: number, found: string): SluiceError {
  return new SluiceError("ENTRY_TAMPERED", `entry ${seq}: ${found}`, {
    hint: "Restore the history from a backup, and find out who changed it.",
    details: { seq },
  });
}

function checkDatabase(history: History): void {
  const integrity = history.database.pragma("integrity_check", { simple: true });
  if (integrity !== "ok") throw new SluiceError("ENTRY_TAMPERED", `${history.path}: the database file is damaged`);
  const dangling = history.database.pragma("foreign_key_check") as readonly { table: string; parent: string }[];
  const [first] = dangling;
  if (first === undefined) return;
  const text = `${history.path}: a row of ${first.table} refers to a missing ${first.parent}`;
  throw new SluiceError("ENTRY_TAMPERED", text);
}

function checkBlobs(history: History, entries: readonly HistoryEntry[]): void {
  const users = new Map<string, number>();
  for (const entry of entries.toReversed()) {
    for (const digest of [entry.sha256, ...entry.attachments]) users.set(digest, entry.seq);
  }
  const rows = history.database.prepare<[], { sha256: Buffer; size: number; bytes: Buffer }>(
    "SELECT sha256, size, bytes FROM blob ORDER BY sha256",
  );
  for (const { sha256, size, bytes } of rows.iterate()) {
    const digest = sha256.toString("hex");
    if (sha256Hex(bytes) === digest && size === bytes.length) continue;
    throw tampered(users.get(digest) ?? 0, `the bytes of blob ${digest} have another digest`);
  }
}

function checkEntries(history: History, entries: readonly HistoryEntry[]): CompactRange {
  const rows = history.database.prepare<[], LeafRow>("SELECT seq, leaf, body FROM entry ORDER BY seq").all();
  if (rows.length !== entries.length) {
    throw new SluiceError("ENTRY_TAMPERED", `${history.path}: ${rows.length - entries.length} entries have no record`);
  }
  let range = emptyRange;
  for (const [index, row] of rows.entries()) {
    const seq = index + 1;
    const entry = entries[index];
    if (entry === undefined || row.seq !== seq || entry.seq !== seq) throw tampered(seq, "is missing");
    if (!leafBody(entry).equals(row.body)) throw tampered(seq, "its columns are not those that were hashed");
    if (!leafHash(row.body).equals(row.leaf)) throw tampered(seq, "its leaf hash is not that of its body");
    range = appendLeaf(range, row.leaf);
  }
  return range;
}

/**
 * Verifies a history from its own content: file, references, numbering, every leaf and every blob. What an attacker
 * replaced consistently from some entry on, or cut off at the end, shows only in a root that was kept elsewhere.
 * @throws {SluiceError} ENTRY_TAMPERED; details.seq is the entry where one can be named
 */
export function verifyHistory(history: History): VerifiedHistory {
  const run = history.database.transaction((): VerifiedHistory => {
    checkDatabase(history);
    const entries = listEntries(history);
    const range = checkEntries(history, entries);
    checkBlobs(history, entries);
    return { entries: entries.length, root: rootOf(range).toString("hex") };
  });
  return withDatabaseErrors(history.path, () => run.deferred());
}
