import Database from "better-sqlite3";
import { canonicalJson } from "../digest/canonical-json.js";
import { sha256Hex } from "../digest/sha256.js";
import { initialSchema } from "./migrations/0001-initial.js";
import { auditKind } from "./migrations/0002-audit-kind.js";

/** "SLUC": marks a database file as a Sluice history. */
export const applicationId = 0x534c5543;

/** Schema texts in order; the version of a database is the number of texts that were applied to it. */
export const migrations: readonly string[] = [initialSchema, auditKind];

/** SHA-256 over the definitions of all tables, indexes and triggers, in a fixed order. */
export function schemaFingerprint(database: Database.Database): string {
  const rows = database
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
    .all();
  return sha256Hex(canonicalJson(rows));
}

/** Fingerprint of a version, the newest when none is named, taken from a fresh database in memory. */
export function expectedFingerprint(version: number = migrations.length): string {
  const fresh = new Database(":memory:");
  try {
    for (const sql of migrations.slice(0, version)) fresh.exec(sql);
    return schemaFingerprint(fresh);
  } finally {
    fresh.close();
  }
}
