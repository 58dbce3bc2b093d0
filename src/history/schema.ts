import Database from "better-sqlite3";
import { canonicalJson } from "../digest/canonical-json.js";
import { sha256Hex } from "../digest/sha256.js";
import { initialSchema } from "./migrations/0001-initial.js";

/** "SLUC": marks a database file as a Sluice history. */
export const applicationId = 0x534c5543;

/** Schema texts in order; the version of a database is the number of texts that were applied to it. */
export const migrations: readonly string[] = [initialSchema];

/** SHA-256 over the definitions of all tables, indexes and triggers, in a fixed order. */
export function schemaFingerprint(database: Database.Database): string {
  const rows = database
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
    .all();
  return sha256Hex(canonicalJson(rows));
}

/** Fingerprint of the newest version, taken from a fresh database in memory. */
export function expectedFingerprint(): string {
  const fresh = new Database(":memory:");
  try {
    for (const sql of migrations) fresh.exec(sql);
    return schemaFingerprint(fresh);
  } finally {
    fresh.close();
  }
}
