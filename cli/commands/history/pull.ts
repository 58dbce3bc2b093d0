import { counted } from "../../../src/documents/number-text.js";
import { pullHistory } from "../../../stages/history.js";
import type { WorkOf } from "../../command.js";
import type { historyPullSpec } from "../../specs/history.js";

export const historyPull: WorkOf<typeof historyPullSpec> = async (context, { source, ...outside }) => {
  const { entries, blobs, bytes, size, root, ahead } = await pullHistory(context, source, outside);
  return {
    result: { source, entries, blobs, bytes, size, root, ahead },
    fields: [
      ["history", context.here(context.workspace.history)],
      ["pulled", `${counted(entries, "entry", "entries")}, ${counted(blobs, "blob")}, ${bytes} bytes`],
      ["entries", `${size}`],
      ["root", root],
    ],
    next: ahead === 0 ? [context.next("history", "log")] : [context.next("history", "push", source)],
  };
};
