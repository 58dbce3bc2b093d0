import type { HistoryKind } from "../../src/domain/history-kind.js";
import type { History } from "../../src/history/open.js";
import { type AppendedRecord, appendRecord, type Blob } from "../../src/history/write.js";
import type { CommandContext } from "../context.js";
import { utcSeconds } from "../timestamp.js";

/** What every stage of the job works with: an open history, and the command that runs it. */
export interface Stage {
  readonly history: History;
  /** Who is written into the history as the actor. */
  readonly actor: string;
  readonly context: Pick<CommandContext, "clock" | "progress" | "signal" | "workspace">;
}

/** Saves one record in the history and returns its id; a known record is saved once. */
export function keepRecord(
  stage: Stage,
  kind: HistoryKind,
  content: Blob,
  attachments: readonly Blob[] = [],
): AppendedRecord {
  return appendRecord(stage.history, {
    kind,
    actor: stage.actor,
    at: utcSeconds(stage.context.clock()),
    record: content.bytes,
    media: content.media,
    attachments,
  });
}

export const media = {
  json: "application/json",
  jsonLines: "application/jsonl",
  yaml: "application/yaml",
  arrow: "application/vnd.apache.arrow.file",
  html: "text/html",
  binary: "application/octet-stream",
} as const;
