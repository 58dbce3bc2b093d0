import { path } from "../../parsers.js";
import { readInput } from "../../../workbench/read-input.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { createWorkspace } from "../../../workbench/workspace.js";
import type { WorkOf } from "../../command.js";
import type { historyRestoreShape } from "../../shapes/history.js";
import { openHistory } from "../../../workbench/history/open.js";
import { backupHistory } from "../../../workbench/history/backup.js";
import { readPublicKey, verifyAgainst, verifyWhole } from "../../../workbench/proofs/history-checkpoint.js";

export const historyRestore: WorkOf<typeof historyRestoreShape> = async (context, args) => {
  const key = args.publicKey === undefined ? null : await readPublicKey(args.publicKey);
  const checkpoints = await Promise.all(args.checkpoint.map(async (file) => ({ file, bytes: await readInput(file) })));
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
};
