import { canonicalBytes } from "../../src/base/canonical-json.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { withDatabaseErrors } from "./database-error.js";
import type { History } from "./open.js";
import { type AppendedRecord, appendRecord } from "./write.js";

export interface UnusedBlob {
  readonly sha256: Sha256;
  readonly size: number;
}

/** Blobs that are neither the record nor an attachment of an entry, by digest. */
export function unusedBlobs(history: History): readonly UnusedBlob[] {
  const sql = `SELECT lower(hex(sha256)) AS sha256, size FROM blob
    WHERE sha256 NOT IN (SELECT record FROM entry) AND sha256 NOT IN (SELECT sha256 FROM attachment)
    ORDER BY blob.sha256`;
  return withDatabaseErrors(history.path, () => history.database.prepare<[], UnusedBlob>(sql).all());
}

/** The deleted blobs, and the entry that records the deletion; null if there was nothing to delete. */
export interface Collection {
  readonly blobs: readonly UnusedBlob[];
  readonly entry: AppendedRecord | null;
}

/**
 * Atomically deletes the blobs that no entry refers to, and appends an entry that lists them.
 * @param at  UTC, whole seconds
 * @throws {SluiceError} DOCUMENT_INVALID (`at`), DB_BUSY, WRITE_FAILED
 */
export function collectUnused(history: History, actor: string, at: string): Collection {
  const run = history.database.transaction((): Collection => {
    const blobs = unusedBlobs(history);
    if (blobs.length === 0) return { blobs, entry: null };
    const remove = history.database.prepare("DELETE FROM blob WHERE sha256 = ?");
    for (const { sha256 } of blobs) remove.run(Buffer.from(sha256, "hex"));
    const record = canonicalBytes({ schema_version: 1, collected_at: at, blobs });
    return {
      blobs,
      entry: appendRecord(history, { kind: "collection", actor, at, record }),
    };
  });
  return withDatabaseErrors(history.path, () => run.immediate());
}
