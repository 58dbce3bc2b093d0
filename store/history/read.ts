import { counted } from "../../src/documents/number-text.js";
import { sha256Hex, type Sha256 } from "../../src/base/sha256.js";
import type { HistoryKind } from "../../src/documents/choices.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { withDatabaseErrors } from "./database-error.js";
import type { HistoryEntry } from "./entry.js";
import type { History } from "./open.js";

const minPrefix = 4;
const shownCandidates = 5;

/** An entry in the form that SQLite returns: attachments are joined by commas. */
export interface EntryRow extends Omit<HistoryEntry, "attachments"> {
  readonly attachments: string | null;
}

/** Columns of `entry` for a row without `size`, which comes from its record. */
export const entryColumns = `entry.seq, entry.kind, entry.actor, entry.at, lower(hex(entry.record)) AS sha256,
    (SELECT group_concat(digest) FROM
      (SELECT lower(hex(sha256)) AS digest FROM attachment WHERE attachment.seq = entry.seq ORDER BY sha256)
    ) AS attachments`;

/** The listed records, `kind` and id in one text: damaged ones, which no reader returns. */
const quarantined = `
  SELECT json_extract(listed.value, '$.kind') || json_extract(listed.value, '$.sha256')
  FROM entry AS held JOIN blob AS content ON content.sha256 = held.record,
    json_each(CAST(content.bytes AS TEXT), '$.records') AS listed
  WHERE held.kind = 'quarantine'`;

const selectEntries = `
  SELECT ${entryColumns}, blob.size FROM entry JOIN blob ON blob.sha256 = entry.record
  WHERE entry.kind || lower(hex(entry.record)) NOT IN (${quarantined})`;

/** Digests of the attachments of an entry, sorted. */
export function splitAttachments(joined: string | null): readonly string[] {
  return joined === null ? [] : joined.split(",");
}

function toEntry(row: EntryRow): HistoryEntry {
  return { ...row, attachments: splitAttachments(row.attachments) };
}

function select(history: History, rest: string, ...values: readonly (string | number | Buffer)[]): readonly EntryRow[] {
  const sql = `${selectEntries} ${rest}`;
  return withDatabaseErrors(history.path, () =>
    history.database.prepare<(string | number | Buffer)[], EntryRow>(sql).all(...values),
  );
}

export interface EntryFilter {
  readonly kind?: HistoryKind | undefined;
  readonly actor?: string | undefined;
  /** UTC, whole seconds; both ends inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Entries in the order in which they were appended, without quarantined records. */
export function listEntries(history: History, filter: EntryFilter = {}): readonly HistoryEntry[] {
  const { kind, actor, since, until } = filter;
  const limits: readonly (readonly [string, string | undefined])[] = [
    ["entry.kind = ?", kind],
    ["entry.actor = ?", actor],
    ["entry.at >= ?", since],
    ["entry.at <= ?", until],
  ];
  const given = limits.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const where = given.map(({ sql }) => `AND ${sql}`).join(" ");
  return select(history, `${where} ORDER BY entry.seq`, ...given.map(({ value }) => value)).map(toEntry);
}

/** The latest entry of a kind; undefined if there is none. */
export function latestEntry(history: History, kind: HistoryKind): HistoryEntry | undefined {
  const [row] = select(history, "AND entry.kind = ? ORDER BY entry.seq DESC LIMIT 1", kind);
  return row === undefined ? undefined : toEntry(row);
}

/** The entry of a record; undefined if the history has no record of this kind with this id. */
export function findEntry(history: History, kind: HistoryKind, sha256: Sha256): HistoryEntry | undefined {
  const [row] = select(history, "AND entry.kind = ? AND entry.record = ?", kind, Buffer.from(sha256, "hex"));
  return row === undefined ? undefined : toEntry(row);
}

/** Size of a blob in bytes; undefined if the history does not contain it. */
export function blobSize(history: History, sha256: Sha256): number | undefined {
  const sql = "SELECT size FROM blob WHERE sha256 = ?";
  return withDatabaseErrors(history.path, () =>
    history.database.prepare<[Buffer], { size: number }>(sql).get(Buffer.from(sha256, "hex")),
  )?.size;
}

/**
 * Reads a record or an attachment, and checks its digest.
 * @param sha256  64 hex digits
 * @throws {SluiceError} RECORD_NOT_FOUND, HISTORY_TAMPERED
 */
export function getBlob(history: History, sha256: Sha256): Buffer {
  const sql = "SELECT bytes FROM blob WHERE sha256 = ?";
  const row = withDatabaseErrors(history.path, () =>
    history.database.prepare<[Buffer], { bytes: Buffer }>(sql).get(Buffer.from(sha256, "hex")),
  );
  if (row === undefined) throw new SluiceError("RECORD_NOT_FOUND", `no blob ${sha256} in the history`);
  if (sha256Hex(row.bytes) === sha256) return row.bytes;
  throw new SluiceError("HISTORY_TAMPERED", `blob ${sha256}: its bytes have a different digest`);
}

/** The bytes of an entry's leaf; undefined if there is no such entry. @param seq  counted from 1 */
export function entryBody(history: History, seq: number): Buffer | undefined {
  const find = history.database.prepare<[number], Buffer>("SELECT body FROM entry WHERE seq = ?").pluck();
  return withDatabaseErrors(history.path, () => find.get(seq));
}

function notFound(history: History, kind: HistoryKind, id: string): SluiceError {
  const latest = latestEntry(history, kind);
  const hint =
    latest === undefined
      ? `The history has no ${kind} yet.`
      : say`List them: ${command`sluice history log --kind ${kind}`} (the latest is ${latest.sha256.slice(0, 12)})`;
  return new SluiceError("RECORD_NOT_FOUND", `no ${kind} "${id}" in the history`, { hint });
}

/**
 * Finds the entry with this id or id prefix.
 * @param idOrPrefix  4 to 64 hex digits
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS (details.candidates lists the ids)
 */
export function resolveRecord(history: History, kind: HistoryKind, idOrPrefix: string): HistoryEntry {
  const prefix = idOrPrefix.toLowerCase();
  if (prefix.length < minPrefix || !/^[0-9a-f]{1,64}$/.test(prefix)) throw notFound(history, kind, idOrPrefix);
  const where = "AND entry.kind = ? AND substr(lower(hex(entry.record)), 1, ?) = ? ORDER BY entry.seq";
  const rows = select(history, where, kind, prefix.length, prefix);
  const [only, ...others] = rows;
  if (only === undefined) throw notFound(history, kind, idOrPrefix);
  if (others.length === 0) return toEntry(only);
  const candidates = rows.map((row) => row.sha256);
  const shown = candidates.slice(0, shownCandidates).map((id) => id.slice(0, 16));
  const message = `${counted(rows.length, "record")} of kind ${kind} begin with "${prefix}": ${shown.join(", ")}`;
  throw new SluiceError("RECORD_AMBIGUOUS", message, { hint: "Give more digits of the id.", details: { candidates } });
}
