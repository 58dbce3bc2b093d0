import { withHistory } from "../../../store/records/with-history.js";
import { table } from "../../table.js";
import { utcSeconds } from "../../../src/base/text.js";
import type { WorkOf } from "../../command.js";
import type { historyGcSpec } from "../../specs/history.js";
import { collectUnused, unusedBlobs } from "../../../store/history/collect.js";

export const historyGc: WorkOf<typeof historyGcSpec> = (context, args) =>
  withHistory(context, args.delete ? "write" : "read", async ({ history, actor }) => {
    const collection = args.delete
      ? collectUnused(history, actor, utcSeconds(context.clock()))
      : { blobs: unusedBlobs(history), entry: null };
    const { blobs, entry } = collection;
    const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
    const deleted = entry === null ? "" : `; deleted, entry ${entry.seq} lists them`;
    return {
      result: { blobs, bytes, deleted: entry !== null, entry: entry?.seq ?? null },
      lines: [
        ...table(blobs.map(({ sha256, size }) => [sha256, String(size)])),
        `${blobs.length} unused blobs, ${bytes} bytes${deleted}`,
      ],
      next: args.delete || blobs.length === 0 ? [] : [context.nextLine("history", "gc", "--delete")],
    };
  });
