import type { HistoryEntry } from "../../../store/history/entry.js";
import { shortId } from "../../../src/base/text.js";
import { table } from "../../table.js";
import { listRecords } from "../../../stages/history.js";
import type { WorkOf } from "../../command.js";
import type { historyLogSpec } from "../../specs/history.js";

export const historyLog: WorkOf<typeof historyLogSpec> = async (context, args) => {
  const entries = await listRecords(context, args);
  return {
    result: { entries },
    lines: logLines(entries),
    next: [context.next("history", "verify")],
  };
};

export function logLines(entries: readonly HistoryEntry[]): readonly string[] {
  if (entries.length === 0) return ["no entries"];
  const rows = entries.map(({ seq, at, kind, sha256, actor, size }) => [
    String(seq),
    at,
    kind,
    shortId(sha256),
    actor,
    String(size),
  ]);
  return table(rows, ["seq", "time", "kind", "id", "actor", "bytes"]);
}
