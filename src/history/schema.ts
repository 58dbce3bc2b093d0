import type Database from "better-sqlite3";
import { canonicalJson } from "../digest/canonical-json.js";
import { sha256Hex } from "../digest/sha256.js";
import { createTables } from "./migrations/0001-initial.js";
import { addTreeNodes } from "./migrations/0002-tree-nodes.js";
import { sqlite } from "./sqlite.js";

/** "SLUC": marks a database file as a Sluice history. */
export const applicationId = 0x534c5543;

/** Steps in order; the version of a database is the number of steps that were applied to it. */
export const migrations: readonly ((database: Database.Database) => void)[] = [createTables, addTreeNodes];

/** SHA-256 over the definitions of all tables, indexes and triggers, in a fixed order. */
export function schemaFingerprint(database: Database.Database): string {
  const rows = database
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
    .all();
  return sha256Hex(canonicalJson(rows));
}

/** Fingerprint of a version, the newest when absent, taken from a fresh database in memory. */
export function expectedFingerprint(version = migrations.length): string {
  const fresh = new (sqlite())(":memory:");
  try {
    fresh.pragma("foreign_keys = OFF");
    for (const migrate of migrations.slice(0, version)) migrate(fresh);
    return schemaFingerprint(fresh);
  } finally {
    fresh.close();
  }
}
