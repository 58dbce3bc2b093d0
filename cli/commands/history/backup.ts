import { withHistory } from "../../../store/records/with-history.js";
import type { WorkOf } from "../../command.js";
import type { historyBackupSpec } from "../../specs/history.js";
import { backupHistory } from "../../../store/history/backup.js";

export const historyBackup: WorkOf<typeof historyBackupSpec> = (context, { file }) =>
  withHistory(context, "read", async ({ history }) => {
    const { entries, root } = await backupHistory(history, file);
    return {
      result: { file, entries, root },
      fields: [
        ["backup", file],
        ["entries", `${entries}, verified`],
        ["root", root],
      ],
      next: [context.nextLine("history", "checkpoint", "--key", "NAME")],
    };
  });
