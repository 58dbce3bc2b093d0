import { sha256Hex, type Sha256 } from "../../src/base/sha256.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import type { HistoryKind } from "../../src/documents/choices.js";
import { TimestampSchema } from "../../src/documents/primitives.js";
import { SluiceError } from "../../src/base/error.js";
import { withDatabaseErrors } from "./database-error.js";
import { type LeafFields, leafBody } from "./entry.js";
import { appendLeaf, leafHash } from "./merkle.js";
import type { History } from "./open.js";
import { findEntry } from "./read.js";
import { readRange, treeSize } from "./tree.js";

export interface NewRecord {
  readonly kind: HistoryKind;
  /** Author: a principal, or a user account of this machine. */
  readonly actor: string;
  /** UTC, whole seconds. */
  readonly at: string;
  /** The record; its SHA-256 is its id. */
  readonly record: Uint8Array;
  /** Additional blobs that belong to the record. */
  readonly attachments?: readonly Uint8Array[];
}

export interface AppendedRecord {
  readonly seq: number;
  readonly sha256: Sha256;
  /** Whether the entry already existed; its attachments are then unchanged. */
  readonly known: boolean;
}

/**
 * Maximum size of a blob in bytes. better-sqlite3 limits a row to 2^29 - 24 bytes, the maximum length of a string in
 * V8; this leaves room for the other columns.
 */
const largestBlob = 536_870_000;

function insertBlob(history: History, sha256: Sha256, bytes: Uint8Array): void {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (content.length > largestBlob) {
    throw new SluiceError(
      "TOO_LARGE",
      `${content.length} bytes in one record, the history holds ${largestBlob} at most`,
      {
        hint: "Divide the data. Scores of a run take about 800 bytes a request.",
      },
    );
  }
  history.database
    .prepare(
      `INSERT INTO blob(sha256, size, bytes)
       SELECT @digest, @size, @content WHERE NOT EXISTS(SELECT 1 FROM blob WHERE sha256 = @digest)`,
    )
    .run({ digest: Buffer.from(sha256, "hex"), size: content.length, content });
}

function insertEntry(history: History, fields: LeafFields): void {
  const body = leafBody(fields);
  const leaf = leafHash(body);
  const { seq, at, kind, actor, sha256 } = fields;
  const { nodes } = appendLeaf(readRange(history, seq - 1), leaf);
  history.database
    .prepare("INSERT INTO entry(seq, leaf, nodes, at, kind, actor, record, body) VALUES(?, ?, ?, ?, ?, ?, ?, ?)")
    .run(seq, leaf, Buffer.concat(nodes), at, kind, actor, Buffer.from(sha256, "hex"), body);
  const attach = history.database.prepare("INSERT INTO attachment(seq, sha256) VALUES(?, ?)");
  for (const digest of fields.attachments) attach.run(seq, Buffer.from(digest, "hex"));
}

function append(history: History, { kind, actor, at, record, attachments = [] }: NewRecord): AppendedRecord {
  const sha256 = sha256Hex(record);
  const known = findEntry(history, kind, sha256);
  if (known !== undefined) return { seq: known.seq, sha256, known: true };
  const blobs = new Map(attachments.map((bytes) => [sha256Hex(bytes), bytes]));
  const digests = [...blobs.keys()].sort();
  insertBlob(history, sha256, record);
  for (const [digest, bytes] of blobs) insertBlob(history, digest, bytes);
  const seq = treeSize(history) + 1;
  insertEntry(history, { seq, at, kind, actor, sha256, attachments: digests });
  return { seq, sha256, known: false };
}

/** An entry from another copy of the history, with the blobs it refers to that are missing here. */
export interface CopiedEntry {
  readonly fields: LeafFields;
  readonly blobs: ReadonlyMap<Sha256, Uint8Array>;
}

/**
 * Atomically appends an entry from another copy of this history, unchanged: with its number, time and actor.
 * @throws {SluiceError} HISTORY_FORK  the entry is not the next one
 * @throws {SluiceError} DB_BUSY, WRITE_FAILED
 */
export function appendCopy(history: History, { fields, blobs }: CopiedEntry): void {
  const run = history.database.transaction(() => {
    const next = treeSize(history) + 1;
    if (fields.seq !== next) {
      throw new SluiceError("HISTORY_FORK", `${history.path}: expected entry ${next} next, found entry ${fields.seq}`, {
        hint: "Another process wrote to this history. Run the command again.",
      });
    }
    for (const [digest, bytes] of blobs) insertBlob(history, digest, bytes);
    insertEntry(history, fields);
  });
  withDatabaseErrors(history.path, () => run.immediate());
}

/**
 * Runs several reads and writes as one transaction, without interference from other processes. If `run` throws,
 * everything is rolled back.
 * @throws {SluiceError} DB_BUSY, WRITE_FAILED, and what `run` throws
 */
export function inTransaction<T>(history: History, run: () => T): T {
  return withDatabaseErrors(history.path, () => history.database.transaction(run).immediate());
}

/**
 * Atomically appends a record with its attachments as one entry. Records are identified by content: an existing record
 * of the same kind is not written again, even if its attachments (its provenance) differ.
 * @throws {SluiceError} DOCUMENT_INVALID (`at`), DB_BUSY, WRITE_FAILED
 */
export function appendRecord(history: History, record: NewRecord): AppendedRecord {
  checkSchema(TimestampSchema, record.at, "at");
  const run = history.database.transaction(() => append(history, record));
  return withDatabaseErrors(history.path, () => run.immediate());
}
