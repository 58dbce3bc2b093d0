import type { HistoryKind } from "../../src/documents/choices.js";
import type { History } from "../history/open.js";
import { type AppendedRecord, appendRecord } from "../history/write.js";
import type { WorkbenchContext } from "../workbench-context.js";
import { utcSeconds } from "../../src/base/text.js";

/** Context of every stage: an open history, and the command that runs the stage. */
export interface Session {
  readonly history: History;
  /** Actor recorded in the history. */
  readonly actor: string;
  readonly context: WorkbenchContext;
}

/** Saves a record in the history and returns its id. A record that already exists is not saved again. */
export function saveRecord(
  session: Session,
  kind: HistoryKind,
  record: Uint8Array,
  attachments: readonly Uint8Array[] = [],
): AppendedRecord {
  return appendRecord(session.history, {
    kind,
    actor: session.actor,
    at: utcSeconds(session.context.clock()),
    record,
    attachments,
  });
}
