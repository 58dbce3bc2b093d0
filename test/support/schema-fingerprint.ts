import type Database from "better-sqlite3";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";

/** SHA-256 over the definitions of all tables, indexes, views and triggers of a history. */
export function schemaFingerprint(database: Database.Database): string {
  const sql = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name";
  return sha256Hex(canonicalJson(database.prepare(sql).all()));
}
