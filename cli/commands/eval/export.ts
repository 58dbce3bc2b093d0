import { shortId } from "../../../src/base/text.js";
import type { WorkOf } from "../../command.js";
import type { evalExportSpec } from "../../specs/eval.js";
import { exportRequests } from "../../../stages/requests.js";

/** Maximum number of displayed columns; `--json` has all. */
const shownColumns = 8;

export const evalExport: WorkOf<typeof evalExportSpec> = async (context, args) => {
  const { file, rows: kind } = args;
  const exported = await exportRequests(context, args);
  const { run, thresholds, rows, columns, warnings } = exported;
  return {
    result: {
      file,
      run: run.sha256,
      thresholds: thresholds?.sha256 ?? null,
      fold: args.fold,
      kind,
      rows,
      columns,
    },
    fields: [
      ["file", context.here(file)],
      ["run", `${shortId(run.sha256)}, fold ${args.fold}`],
      ["rows", `${rows} ${kind}`],
      ["columns", `${columns.length}: ${columns.slice(0, shownColumns).join(", ")}, ...`],
    ],
    warnings,
  };
};
