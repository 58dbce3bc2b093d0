import { defineCommand } from "../../command.js";
import { required } from "../../options.js";
import { path } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";

export const historyBackup = defineCommand({
  name: ["history", "backup"],
  describe: "Copy the history into one new file while others may use it, and verify the copy",
  positionals: { file: required(path, "file to write; an existing one is refused") },
  options: {},
  examples: [
    ["sluice history backup /mnt/backup/history-2026-03-01.db", "never copy history.db itself"],
    ["sluice history backup copy.db --workspace /srv/sluice", "of another workspace"],
  ],
  run: (context, { file }) =>
    withHistory(context, "read", async ({ history }) => {
      const { backupHistory } = await import("../../../workbench/history/backup.js");
      const { entries, root } = await backupHistory(history, file);
      return commandResult({
        schema: "history-backup@1",
        result: { file, entries, root },
        lines: fields([
          ["backup", file],
          ["entries", `${entries}, verified`],
          ["root", root],
        ]),
        next: [context.nextLine("history", "checkpoint", "--key", "NAME")],
      });
    }),
});
