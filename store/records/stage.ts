import type { HistoryKind } from "../history/history-kind.js";
import type { History } from "../history/open.js";
import { type AppendedRecord, appendRecord } from "../history/write.js";
import type { WorkbenchContext } from "../workbench-context.js";
import { utcSeconds } from "./timestamp.js";

/** Context of every stage: an open history, and the command that runs it. */
export interface Stage {
  readonly history: History;
  /** Actor recorded in the history. */
  readonly actor: string;
  readonly context: WorkbenchContext;
}

/** Saves one record in the history and returns its id; a known record is saved once. */
export function keepRecord(
  stage: Stage,
  kind: HistoryKind,
  record: Uint8Array,
  attachments: readonly Uint8Array[] = [],
): AppendedRecord {
  return appendRecord(stage.history, {
    kind,
    actor: stage.actor,
    at: utcSeconds(stage.context.clock()),
    record,
    attachments,
  });
}
