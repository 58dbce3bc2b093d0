import type Database from "better-sqlite3";
import { createTables } from "./migrations/0001-initial.js";
import { addTreeNodes } from "./migrations/0002-tree-nodes.js";
import { dropMedia } from "./migrations/0003-no-media.js";
import { sqlite } from "./sqlite.js";

/** "SLUC": marks a database file as a Sluice history. */
export const applicationId = 0x534c5543;

/** Migrations in order; the version of a database is the number of migrations applied. */
export const migrations: readonly ((database: Database.Database) => void)[] = [createTables, addTreeNodes, dropMedia];

/** The oldest version that can be read as it is; older versions must be migrated first. */
export const oldestReadable = 2;

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/**
 * Definitions of all tables, indexes, views and triggers, in a fixed order. The tables in which SQLite counts rows after
 * ANALYZE are not among them: they only help to plan queries, and no entry depends on them.
 */
function schemaObjects(database: Database.Database): readonly SchemaObject[] {
  const sql = `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL
    AND (type || ' ' || sql) NOT IN ('table CREATE TABLE sqlite_stat1(tbl,idx,stat)',
      'table CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')
    ORDER BY type, name`;
  return database.prepare<[], SchemaObject>(sql).all();
}

/**
 * What differs from a version: "table more was added" or "trigger entry_no_update is missing"; empty when nothing
 * does.
 */
export function schemaDifferences(database: Database.Database, version: number): readonly string[] {
  const byName = (objects: readonly SchemaObject[]) => new Map(objects.map((o) => [`${o.type} ${o.name}`, o.sql]));
  const [found, expected] = [byName(schemaObjects(database)), byName(withFresh(version, schemaObjects))];
  return [
    ...[...expected].flatMap(([name, sql]) => {
      if (!found.has(name)) return [`${name} is missing`];
      return found.get(name) === sql ? [] : [`${name} was changed`];
    }),
    ...[...found.keys()].filter((name) => !expected.has(name)).map((name) => `${name} was added`),
  ];
}

function withFresh<T>(version: number, read: (database: Database.Database) => T): T {
  const fresh = new (sqlite())(":memory:");
  try {
    fresh.pragma("foreign_keys = OFF");
    for (const migrate of migrations.slice(0, version)) migrate(fresh);
    return read(fresh);
  } finally {
    fresh.close();
  }
}
