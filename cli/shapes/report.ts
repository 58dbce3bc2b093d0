import type { CommandShape } from "../command-shape.js";
import { gateOptions } from "../gate-options.js";
import { optional } from "../options.js";
import { id, path } from "../parsers.js";
import { foldOption } from "../commands/eval/run-options.js";

export const reportEvalShape = {
  name: ["report", "eval"],
  describe: "Write the evaluation report of a run: HTML, Markdown or JSON by the ending of the file",
  positionals: {},
  options: {
    calibration: optional(id, "calibration; the latest, or the latest of the run, when absent"),
    run: optional(id, "run; that of the calibration, or the latest, when absent"),
    fold: foldOption("fold to report; a report of another fold than EVAL says so"),
    ...gateOptions,
    out: optional(path, "file ending in .html, .md or .json; report.html of the workspace when absent"),
  },
  examples: [
    ["sluice report eval", "one HTML page that needs no network"],
    ["sluice report eval --calibration 3f9c01ab --out report.md", "another calibration, as Markdown"],
  ],
} satisfies CommandShape;
