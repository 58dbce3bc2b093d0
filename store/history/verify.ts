import { sha256Hex } from "../../src/base/sha256.js";
import { SluiceError } from "../../src/base/error.js";
import { unusedBlobs } from "./collect.js";
import { withDatabaseErrors } from "./database-error.js";
import { type LeafFields, leafBody } from "./entry.js";
import { appendLeaf, type CompactRange, emptyRange, type ExtendedRange, leafHash, rootOf } from "./merkle.js";
import type { History } from "./open.js";
import { type EntryRow, entryColumns, splitAttachments } from "./read.js";

export interface VerifiedHistory {
  readonly entries: number;
  /** Merkle root over all entries, lower-case hex. */
  readonly root: string;
  /** Number of blobs that no entry refers to; no hash of the history covers them. */
  readonly unused_blobs: number;
  /** Unused pages reported by SQLite; they contain no data. */
  readonly unused_pages: readonly string[];
}

interface LeafRow extends Pick<EntryRow, "seq" | "kind" | "actor" | "at" | "sha256" | "attachments"> {
  readonly leaf: Buffer;
  readonly nodes: Buffer;
  readonly body: Buffer;
}

function tampered(seq: number, found: string): SluiceError {
  return new SluiceError("HISTORY_TAMPERED", `${seq === 0 ? "a blob of no entry" : `entry ${seq}`}: ${found}`, {
    hint: "Restore the history from a backup, and find out who changed it.",
    details: { seq },
  });
}

/** Matches reports of unused space, which a killed writer or a copy may leave behind. */
const unusedSpace = /^(?:\*\*\* in database main \*\*\*\n)?(?:Page \d+(?: is|:) never used|Freelist: )/;

/** @returns harmless findings */
function checkDatabase(history: History): readonly string[] {
  const rows = history.database.pragma("integrity_check") as readonly { readonly integrity_check: string }[];
  const findings = rows.map((row) => row.integrity_check).filter((finding) => finding !== "ok");
  const damage = findings.find((finding) => !unusedSpace.test(finding));
  if (damage === undefined) return findings.map((finding) => finding.split("\n").at(-1) ?? finding);
  throw new SluiceError(
    "HISTORY_TAMPERED",
    `${history.path}: the database file is damaged: ${damage.split("\n").at(-1)}`,
    {
      hint: "Restore the history from a backup.",
    },
  );
}

/** The first entry that refers to a blob; 0 if none does. */
function userOf(history: History, blob: Buffer): number {
  const sql = `SELECT coalesce(min(seq), 0) FROM
    (SELECT seq FROM entry WHERE record = @blob UNION SELECT seq FROM attachment WHERE sha256 = @blob)`;
  return history.database.prepare<[{ blob: Buffer }], number>(sql).pluck().get({ blob }) ?? 0;
}

function checkAttachments(history: History): void {
  const sql = "SELECT seq FROM attachment WHERE seq NOT IN (SELECT seq FROM entry) LIMIT 1";
  const stray = history.database.prepare<[], number>(sql).pluck().get();
  if (stray !== undefined) throw tampered(stray, "is missing, but its attachments exist");
}

function checkEntry(row: LeafRow, range: CompactRange): ExtendedRange {
  const seq = range.size + 1;
  if (row.seq !== seq) throw tampered(seq, "is missing");
  const fields: LeafFields = { ...row, attachments: splitAttachments(row.attachments) };
  if (!leafBody(fields).equals(row.body)) throw tampered(seq, "its columns differ from the hashed ones");
  if (!leafHash(row.body).equals(row.leaf)) throw tampered(seq, "its leaf hash does not match its body");
  const extended = appendLeaf(range, row.leaf);
  if (Buffer.concat(extended.nodes).equals(row.nodes)) return extended;
  throw tampered(seq, "its Merkle nodes do not match the entries before it");
}

function checkEntries(history: History): CompactRange {
  const sql = `SELECT ${entryColumns}, leaf, nodes, body FROM entry ORDER BY seq`;
  let range = emptyRange;
  for (const row of history.database.prepare<[], LeafRow>(sql).iterate()) range = checkEntry(row, range).range;
  return range;
}

interface BlobProblem {
  readonly blob: Buffer;
  readonly found: string;
}

interface BlobRow {
  readonly sha256: Buffer;
  readonly size: number;
  readonly bytes: Buffer;
}

/** Reads blobs one at a time, in step with the digests that entries need; both are sorted by digest. */
function firstBlobProblem(blobs: Iterable<BlobRow>, needed: Iterator<Buffer>): BlobProblem | null {
  const missing = (blob: Buffer): BlobProblem => ({ blob, found: `refers to a missing blob ${blob.toString("hex")}` });
  let next = needed.next();
  for (const { sha256, size, bytes } of blobs) {
    const digest = sha256.toString("hex");
    if (size !== bytes.length || sha256Hex(bytes) !== digest) {
      return { blob: sha256, found: `the bytes of blob ${digest} have a different digest` };
    }
    if (next.done === true) continue;
    const order = Buffer.compare(sha256, next.value);
    if (order > 0) return missing(next.value);
    if (order === 0) next = needed.next();
  }
  return next.done === true ? null : missing(next.value);
}

function checkBlobs(history: History): void {
  const { database } = history;
  const blobs = database.prepare<[], BlobRow>("SELECT sha256, size, bytes FROM blob ORDER BY sha256").iterate();
  const needed = database
    .prepare<[], Buffer>("SELECT record AS digest FROM entry UNION SELECT sha256 FROM attachment ORDER BY digest")
    .pluck()
    .iterate();
  let problem: BlobProblem | null;
  try {
    problem = firstBlobProblem(blobs, needed);
  } finally {
    needed.return?.();
  }
  if (problem !== null) throw tampered(userOf(history, problem.blob), problem.found);
}

/**
 * Verifies the internal consistency of a history: file, references, numbering, every leaf, every Merkle node and every
 * blob. A consistent replacement up to the end, or a truncation, can be detected only with a checkpoint stored
 * elsewhere: see `requireHead`. Counts unused blobs and pages, because no hash covers them.
 * @throws {SluiceError} HISTORY_TAMPERED; details.seq is the entry, if it can be identified
 */
export function verifyHistory(history: History): VerifiedHistory {
  const run = history.database.transaction((): VerifiedHistory => {
    const unusedPages = checkDatabase(history);
    checkAttachments(history);
    const range = checkEntries(history);
    checkBlobs(history);
    const root = rootOf(range).toString("hex");
    return { entries: range.size, root, unused_blobs: unusedBlobs(history).length, unused_pages: unusedPages };
  });
  return withDatabaseErrors(history.path, () => run.deferred());
}
