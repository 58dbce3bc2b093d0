import { canonicalBytes } from "../../src/base/canonical-json.js";
import { SluiceError } from "../../src/base/error.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { utcSeconds } from "../../src/base/text.js";
import { matchesSchema } from "../../src/documents/check-schema.js";
import type { History } from "../history/open.js";
import { listRecords } from "./read-records.js";
import { longestNote, NoteTextSchema, type RunNote } from "./record-readers.js";
import { saveRecord, type Session } from "./session.js";

/** @throws {SluiceError} ARGUMENT_INVALID */
export function requireNote(note: string | undefined): void {
  if (note === undefined || matchesSchema(NoteTextSchema, note)) return;
  throw new SluiceError("ARGUMENT_INVALID", `the note is not one line of 1 to ${longestNote} characters`, {
    hint: 'For example: --note "six labels corrected"',
  });
}

/** The latest note of each run that has one, by id of the run. */
export const runNotes = (history: History): ReadonlyMap<string, string> =>
  new Map(listRecords(history, "note").map(({ document }) => [document.run_sha256, document.note]));

/** Saves the note of a run, unless it is the latest one. The run and its id stay as they are. */
export function saveRunNote(session: Session, run: Sha256, note: string | undefined): void {
  if (note === undefined || runNotes(session.history).get(run) === note) return;
  const notedAt = utcSeconds(session.context.clock());
  const document: RunNote = { schema_version: 1, run_sha256: run, note, noted_at: notedAt };
  saveRecord(session, "note", canonicalBytes(document));
}
