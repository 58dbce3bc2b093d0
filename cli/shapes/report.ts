import type { CommandShape } from "../command-shape.js";
import { gateOptions } from "../gate-options.js";
import { optional, preset } from "../options.js";
import { id, name, path } from "../parsers.js";
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

export const reportReleaseShape = {
  name: ["report", "release"],
  describe: "Write the page by which approvers decide: HTML, Markdown or JSON by the ending of the file",
  positionals: { bundle: optional(id, "bundle; the latest when absent") },
  options: {
    trust: optional(path, "trust policy that says who counts; trust.json of the workspace when absent"),
    revocations: optional(path, "revocation list; revocations.json beside the trust policy when absent"),
    environment: preset(name, "production", "environment of the approvals"),
    out: preset(path, "release.html", "file ending in .html, .md or .json"),
  },
  examples: [
    ["sluice report release", "the latest bundle, as one page that needs no network"],
    ["sluice report release 3f9c01ab --out release.md", "another one, as Markdown"],
  ],
} satisfies CommandShape;
