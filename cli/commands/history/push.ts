import { counted } from "../../../src/documents/number-text.js";
import { pushHistory } from "../../../stages/history.js";
import type { WorkOf } from "../../command.js";
import type { historyPushSpec } from "../../specs/history.js";

export const historyPush: WorkOf<typeof historyPushSpec> = async (context, { target }) => {
  const { entries, blobs, bytes, size, root, ahead } = await pushHistory(context, target);
  return {
    result: { target, entries, blobs, bytes, size, root, ahead },
    fields: [
      ["history", target],
      ["pushed", `${counted(entries, "entry", "entries")}, ${counted(blobs, "blob")}, ${bytes} bytes`],
      ["entries", `${size}`],
      ["root", root],
    ],
    next: ahead === 0 ? [] : [context.next("history", "pull", target)],
  };
};
