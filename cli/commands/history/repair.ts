import { counted } from "../../../src/documents/number-text.js";
import { shortId } from "../../../src/base/text.js";
import { repairHistory } from "../../../stages/history.js";
import { table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { historyRepairSpec } from "../../specs/history.js";

export const historyRepair: WorkOf<typeof historyRepairSpec> = async (context, { quarantine }) => {
  const { records, entry } = await repairHistory(context, quarantine);
  const done = entry === null ? "" : `; quarantined by entry ${entry}`;
  return {
    result: { records, entry },
    lines: [
      ...table(records.map(({ kind, sha256, problem }) => [kind, shortId(sha256), problem])),
      `${counted(records.length, "damaged record")}${done}`,
    ],
    next:
      records.length === 0 || quarantine
        ? [context.next("history", "verify")]
        : [context.next("history", "repair", "--quarantine")],
  };
};
