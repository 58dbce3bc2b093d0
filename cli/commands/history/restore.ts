import type { WorkOf } from "../../command.js";
import type { historyRestoreSpec } from "../../specs/history.js";
import { restoreWorkspace } from "../../../stages/history.js";

export const historyRestore: WorkOf<typeof historyRestoreSpec> = async (context, { file, ...outside }) => {
  const { entries, root } = await restoreWorkspace(context, file, outside);
  const path = context.workspace.history;
  return {
    result: { path, entries, root },
    fields: [
      ["history", context.here(path)],
      ["entries", `${entries}, verified`],
      ["root", root],
    ],
    next: [context.next("history", "verify")],
  };
};
