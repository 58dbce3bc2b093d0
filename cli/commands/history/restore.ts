import { defineCommand } from "../../command.js";
import { optional, repeated, required } from "../../options.js";
import { path } from "../../parsers.js";
import { readInput } from "../../../workbench/read-input.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { createWorkspace } from "../../../workbench/workspace.js";

export const historyRestore = defineCommand({
  name: ["history", "restore"],
  describe: "Verify a backup and copy it into a workspace that has no history",
  positionals: { file: required(path, "backup to restore") },
  options: {
    checkpoint: repeated(path, "a signed checkpoint from outside that the backup must contain; may be repeated"),
    "public-key": optional(path, "public key (.pub.pem) that must have signed every checkpoint"),
  },
  examples: [
    ["sluice history restore /mnt/backup/history-2026-03-01.db", "into the default workspace"],
    [
      "sluice history restore history.db --checkpoint last.checkpoint --public-key audit.pub.pem",
      "and nothing is lost",
    ],
  ],
  run: async (context, args) => {
    const { openHistory } = await import("../../../workbench/history/open.js");
    const { backupHistory } = await import("../../../workbench/history/backup.js");
    const { readPublicKey, verifyAgainst, verifyWhole } = await import(
      "../../../workbench/proofs/history-checkpoint.js"
    );
    const key = args.publicKey === undefined ? null : await readPublicKey(args.publicKey);
    const checkpoints = await Promise.all(
      args.checkpoint.map(async (file) => ({ file, bytes: await readInput(file) })),
    );
    const backup = openHistory(args.file, { readOnly: true });
    try {
      verifyWhole(backup);
      for (const { file, bytes } of checkpoints) verifyAgainst(backup, bytes, file, key);
      await createWorkspace(context.workspace);
      const { entries, root } = await backupHistory(backup, context.workspace.history);
      return commandResult({
        schema: "history-restore@1",
        result: { path: context.workspace.history, entries, root },
        lines: fields([
          ["history", context.workspace.history],
          ["entries", `${entries}, verified`],
          ["root", root],
        ]),
        next: [context.nextLine("history", "verify")],
      });
    } finally {
      backup.close();
    }
  },
});
