import { sha256Hex } from "../digest/sha256.js";
import { SluiceError } from "../errors/error.js";
import { withDatabaseErrors } from "./database-error.js";
import { type LeafFields, leafBody } from "./entry.js";
import { appendLeaf, type CompactRange, emptyRange, type ExtendedRange, leafHash, rootOf } from "./merkle.js";
import type { History } from "./open.js";
import { type EntryRow, entryColumns, splitAttachments } from "./read.js";

export interface VerifiedHistory {
  readonly entries: number;
  /** Merkle root over all entries, lower-case hex. */
  readonly root: string;
}

interface LeafRow extends Pick<EntryRow, "seq" | "kind" | "actor" | "at" | "sha256" | "attachments"> {
  readonly leaf: Buffer;
  readonly nodes: Buffer;
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

function checkEntry(row: LeafRow, range: CompactRange): ExtendedRange {
  const seq = range.size + 1;
  if (row.seq !== seq) throw tampered(seq, "is missing");
  const fields: LeafFields = { ...row, attachments: splitAttachments(row.attachments) };
  if (!leafBody(fields).equals(row.body)) throw tampered(seq, "its columns are not those that were hashed");
  if (!leafHash(row.body).equals(row.leaf)) throw tampered(seq, "its leaf hash is not that of its body");
  const extended = appendLeaf(range, row.leaf);
  if (Buffer.concat(extended.nodes).equals(row.nodes)) return extended;
  throw tampered(seq, "its Merkle nodes are not those of the entries before it");
}

function checkEntries(history: History): CompactRange {
  const sql = `SELECT ${entryColumns}, leaf, nodes, body FROM entry ORDER BY seq`;
  let range = emptyRange;
  for (const row of history.database.prepare<[], LeafRow>(sql).iterate()) range = checkEntry(row, range).range;
  return range;
}

/** The first blob whose bytes are not those of its name; blobs are read one at a time. */
function firstDamagedBlob(history: History): Buffer | undefined {
  const sql = "SELECT sha256, size, bytes FROM blob";
  for (const row of history.database.prepare<[], { sha256: Buffer; size: number; bytes: Buffer }>(sql).iterate()) {
    const { sha256, size, bytes } = row;
    if (size !== bytes.length || sha256Hex(bytes) !== sha256.toString("hex")) return sha256;
  }
  return undefined;
}

function checkBlobs(history: History): void {
  const damaged = firstDamagedBlob(history);
  if (damaged === undefined) return;
  const sql = `SELECT min(seq) FROM
    (SELECT seq FROM entry WHERE record = @damaged UNION SELECT seq FROM attachment WHERE sha256 = @damaged)`;
  const seq = history.database.prepare<[{ damaged: Buffer }], number | null>(sql).pluck().get({ damaged });
  throw tampered(seq ?? 0, `the bytes of blob ${damaged.toString("hex")} have another digest`);
}

/**
 * Verifies a history from its own content: file, references, numbering, every leaf, every Merkle node and every blob.
 * What an attacker replaced consistently from some entry on, or cut off at the end, shows only in a checkpoint that was
 * kept elsewhere: `requireHead`.
 * @throws {SluiceError} ENTRY_TAMPERED; details.seq is the entry where one can be named
 */
export function verifyHistory(history: History): VerifiedHistory {
  const run = history.database.transaction((): VerifiedHistory => {
    checkDatabase(history);
    const range = checkEntries(history);
    checkBlobs(history);
    return { entries: range.size, root: rootOf(range).toString("hex") };
  });
  return withDatabaseErrors(history.path, () => run.deferred());
}
