import { backupWorkspace } from "../../../stages/history.js";
import type { WorkOf } from "../../command.js";
import type { historyBackupSpec } from "../../specs/history.js";

export const historyBackup: WorkOf<typeof historyBackupSpec> = async (context, { file }) => {
  const { entries, root } = await backupWorkspace(context, file);
  return {
    result: { file, entries, root },
    fields: [
      ["backup", context.here(file)],
      ["entries", `${entries}, verified`],
      ["root", root],
    ],
    next: [context.next("history", "checkpoint", "--key", "NAME")],
  };
};
