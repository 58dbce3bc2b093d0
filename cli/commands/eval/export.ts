import { exportedRows } from "../../../workbench/evaluation/export-requests.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { defineCommand } from "../../command.js";
import { flag, preset, required } from "../../options.js";
import { choice, path } from "../../parsers.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { decidedRunChoice, decidedRunOptions } from "./run-options.js";

/** Columns on the screen; `--json` has all of them. */
const shownColumns = 8;

export const evalExport = defineCommand({
  name: ["eval", "export"],
  describe: "Write the scored requests of a run as a table for a notebook: Arrow, Parquet or CSV",
  positionals: { file: required(path, "file that ends in .arrow, .parquet or .csv; an older one is replaced") },
  options: {
    ...decidedRunOptions,
    rows: preset(choice(...exportedRows), "requests", "what a row is"),
    "with-texts": flag("add the texts of the requests, from the dataset; the file is then readable by you alone"),
  },
  examples: [
    ["sluice eval export requests.parquet --fold all", "every request of the latest run"],
    ["sluice eval export candidates.arrow --rows candidates", "every candidate of every request of fold EVAL"],
  ],
  run: (context, args) =>
    withHistory(context, "read", async ({ history }) => {
      const { exportRequests } = await import("../../../workbench/evaluation/export-requests.js");
      const { file, rows: kind, withTexts } = args;
      const exported = await exportRequests(history, { ...decidedRunChoice(args), file, rows: kind, withTexts });
      const { run, thresholds, rows, columns, warnings } = exported;
      return commandResult({
        schema: "eval-export@1",
        result: {
          file,
          run: run.sha256,
          thresholds: thresholds?.sha256 ?? null,
          fold: args.fold,
          kind,
          rows,
          columns,
        },
        lines: fields([
          ["file", file],
          ["run", `${shortId(run.sha256)}, fold ${args.fold}`],
          ["rows", `${rows} ${kind}`],
          ["columns", `${columns.length}: ${columns.slice(0, shownColumns).join(", ")}, ...`],
        ]),
        warnings,
      });
    }),
});
