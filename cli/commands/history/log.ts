import { historyKinds } from "../../../src/domain/history-kind.js";
import type { HistoryEntry } from "../../../src/history/entry.js";
import { defineCommand } from "../../command.js";
import { optional } from "../../options.js";
import { choice } from "../../parsers.js";
import { withHistory } from "../../records.js";
import { shortId } from "../../short-id.js";
import { commandResult } from "../../result.js";
import { table } from "../../table.js";

export const historyLog = defineCommand({
  name: ["history", "log"],
  describe: "List what the history of the workspace holds, oldest first",
  positionals: {},
  options: { kind: optional(choice(...historyKinds), "only records of this kind") },
  examples: [
    ["sluice history log", "every record"],
    ["sluice history log --kind dataset", "the data sets"],
  ],
  run: (context, { kind }) =>
    withHistory(context, "read", async ({ history }) => {
      const { listEntries } = await import("../../../src/history/read.js");
      const entries = listEntries(history, kind === undefined ? {} : { kind });
      return commandResult({
        schema: "history-log@1",
        result: { entries },
        lines: logLines(entries),
        next: [context.nextLine("history", "verify")],
      });
    }),
});

/** One line for each entry. */
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
