import Database from "better-sqlite3";
import { sha256Hex, type Sha256 } from "../../src/digest/sha256.js";
import { leafBody } from "../../workbench/history/entry.js";
import { leafHash } from "../../workbench/history/merkle.js";
import { createTables } from "../../workbench/history/migrations/0001-initial.js";
import { addTreeNodes } from "../../workbench/history/migrations/0002-tree-nodes.js";
import { applicationId } from "../../workbench/history/schema.js";

/** Writes a history of version 1 with one run, and one attachment, for each text. */
export function writeVersion1(path: string, texts: readonly string[]): void {
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  createTables(database);
  database.pragma(`application_id = ${applicationId}`);
  database.pragma("user_version = 1");
  const blob = database.prepare("INSERT INTO blob(sha256, size, media, bytes) VALUES(?, ?, 'text/plain', ?)");
  const entry = database.prepare("INSERT INTO entry VALUES(?, ?, ?, ?, ?, ?, ?)");
  const attachment = database.prepare("INSERT INTO attachment VALUES(?, ?)");
  const keep = (text: string): string => {
    const bytes = Buffer.from(text);
    blob.run(Buffer.from(sha256Hex(bytes), "hex"), bytes.length, bytes);
    return sha256Hex(bytes);
  };
  const append = (text: string, index: number): void => {
    const sha256 = keep(text);
    const attached = keep(`attached to ${text}`);
    const fields = { seq: index + 1, at: "2026-03-01T12:00:00Z", kind: "run", actor: "ana" } as const;
    const body = leafBody({ ...fields, sha256: sha256 as Sha256, attachments: [attached] });
    entry.run(fields.seq, leafHash(body), fields.at, fields.kind, fields.actor, Buffer.from(sha256, "hex"), body);
    attachment.run(fields.seq, Buffer.from(attached, "hex"));
  };
  database.transaction(() => texts.forEach(append))();
  database.close();
}

/** Brings a history of version 1 to version 2, as that version did. */
export function migrateTo2(path: string): void {
  const database = new Database(path);
  database.pragma("foreign_keys = OFF");
  database.transaction(() => {
    addTreeNodes(database);
    database.pragma("user_version = 2");
  })();
  database.close();
}
