import { defineCommand } from "../../command.js";
import { flag } from "../../options.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { commandResult } from "../../result.js";
import { table } from "../../table.js";
import { utcSeconds } from "../../../workbench/records/timestamp.js";

export const historyGc = defineCommand({
  name: ["history", "gc"],
  describe: "List the blobs that no entry refers to; with --delete remove them, which becomes an entry",
  positionals: {},
  options: { delete: flag("delete what is listed") },
  examples: [
    ["sluice history gc", "lists, deletes nothing"],
    ["sluice history gc --delete", "entries and their records always stay"],
  ],
  run: (context, args) =>
    withHistory(context, args.delete ? "write" : "read", async ({ history, actor }) => {
      const { collectUnused, unusedBlobs } = await import("../../../workbench/history/collect.js");
      const collection = args.delete
        ? collectUnused(history, actor, utcSeconds(context.clock()))
        : { blobs: unusedBlobs(history), entry: null };
      const { blobs, entry } = collection;
      const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
      const deleted = entry === null ? "" : `; deleted, entry ${entry.seq} lists them`;
      return commandResult({
        schema: "history-gc@1",
        result: { blobs, bytes, deleted: entry !== null, entry: entry?.seq ?? null },
        lines: [
          ...table(blobs.map(({ sha256, size }) => [sha256, String(size)])),
          `${blobs.length} unused blobs, ${bytes} bytes${deleted}`,
        ],
        next: args.delete || blobs.length === 0 ? [] : [context.nextLine("history", "gc", "--delete")],
      });
    }),
});
