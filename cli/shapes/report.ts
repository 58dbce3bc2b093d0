import type { CommandShape } from "../command-shape.js";
import { gateOptions } from "../gate-options.js";
import { flag, optional, preset, required } from "../options.js";
import { id, name, path } from "../parsers.js";
import { comparedSideOptions } from "./eval.js";
import { foldOption } from "../commands/eval/run-options.js";

const chartsOption = optional(path, "folder for the vega-lite spec, the SVG and the PNG of each chart");

export const reportEvalShape = {
  name: ["report", "eval"],
  describe: "Write the evaluation report of a run: HTML, Markdown or JSON by the ending of the file",
  positionals: {},
  options: {
    calibration: optional(id, "calibration; the latest, or the latest of the run, when absent"),
    run: optional(id, "run; that of the calibration, or the latest, when absent"),
    fold: foldOption("fold to report; a report of another fold than EVAL says so"),
    ...gateOptions,
    "with-texts": flag("show the texts of requests in the explorer; whoever has the file can read them"),
    charts: chartsOption,
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

export const reportCalibrationShape = {
  name: ["report", "calibration"],
  describe: "Write the page of a calibration: its claim, how it was certified, and what it leaves out",
  positionals: { calibration: optional(id, "calibration; the latest when absent") },
  options: {
    "with-plan": flag("simulate what every claim and target would give, which takes a while"),
    charts: chartsOption,
    out: preset(path, "calibration.html", "file ending in .html, .md or .json"),
  },
  examples: [
    ["sluice report calibration", "the latest calibration, as one page that needs no network"],
    ["sluice report calibration 3f9c01ab --out calibration.md --charts charts", "another one, and its charts as files"],
  ],
} satisfies CommandShape;

export const reportComparisonShape = {
  name: ["report", "comparison"],
  describe: "Write two runs or calibrations beside each other: what differs, which decisions flip, and where",
  positionals: {
    a: required(id, "first run, calibration or evaluation"),
    b: required(id, "second one, of the same dataset"),
  },
  options: {
    ...comparedSideOptions,
    charts: chartsOption,
    out: preset(path, "comparison.html", "file ending in .html, .md or .json"),
  },
  examples: [
    ["sluice report comparison 3f9c01ab 77e1d2c4", "what changes from the first run to the second, as one page"],
    ["sluice report comparison 3f9c01ab 77e1d2c4 --fold all --out comparison.md", "every fold, as Markdown"],
  ],
} satisfies CommandShape;
