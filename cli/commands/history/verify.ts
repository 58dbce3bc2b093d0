import { defineCommand } from "../../command.js";
import { withHistory } from "../../records.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";

export const historyVerify = defineCommand({
  name: ["history", "verify"],
  describe: "Check every byte of the history against its digests",
  positionals: {},
  options: {},
  examples: [
    ["sluice history verify", "prints the Merkle root; write it down elsewhere"],
    ["sluice history verify --json", "the same as a document"],
  ],
  run: (context) =>
    withHistory(context, "read", async ({ history }) => {
      const { verifyHistory } = await import("../../../src/history/verify.js");
      const { entries, root } = verifyHistory(history);
      return commandResult({
        schema: "history-verify@1",
        result: { path: history.path, entries, root },
        lines: fields([
          ["history", history.path],
          ["entries", `${entries}, unchanged`],
          ["root", root],
        ]),
      });
    }),
});
