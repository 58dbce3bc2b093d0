import { unusedOfHistory } from "../../../stages/history.js";
import { table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { historyGcSpec } from "../../specs/history.js";

export const historyGc: WorkOf<typeof historyGcSpec> = async (context, args) => {
  const { blobs, entry } = await unusedOfHistory(context, args.delete);
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
  const deleted = entry === null ? "" : `; deleted, and listed in entry ${entry}`;
  return {
    result: { blobs, bytes, deleted: entry !== null, entry },
    lines: [
      ...table(blobs.map(({ sha256, size }) => [sha256, String(size)])),
      `unused blobs: ${blobs.length}, ${bytes} bytes${deleted}`,
    ],
    next: args.delete || blobs.length === 0 ? [] : [context.next("history", "gc", "--delete")],
  };
};
