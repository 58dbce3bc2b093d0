import { flag, optional, preset } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { gateOptions } from "../options.js";
import { id, name, path, probability } from "../../stages/options/kinds.js";
import { foldOption } from "../commands/eval/run-options.js";

const chartsOption = optional(path, "folder for the vega-lite spec, the SVG and the PNG of each chart");

export const reportEvalSpec = {
  name: ["report", "eval"],
  describe: "Write the evaluation report of a run as HTML, Markdown or JSON",
  positionals: {},
  options: {
    calibration: optional(id, "calibration; by default the latest, or the latest of the run"),
    run: optional(id, "run, possibly imported; by default the one of the calibration, or the latest"),
    minConfidence: optional(probability, "one confidence threshold for every tier, instead of a calibration"),
    fold: foldOption("fold to report; a fold other than EVAL adds a warning"),
    ...gateOptions,
    withTexts: flag("include request texts; anybody with the file can read them"),
    charts: chartsOption,
    out: optional(path, "output file, .html, .md or .json; by default report.html in the workspace"),
  },
  examples: [
    ["sluice report eval", "one self-contained HTML page"],
    ["sluice report eval --run 77e1d2c4 --min-confidence 0.5 --out report.md", "imported predictions, as Markdown"],
  ],
} satisfies CommandSpec;

export const reportReleaseSpec = {
  name: ["report", "release"],
  describe: "Write the release page for approvers as HTML, Markdown or JSON",
  positionals: { bundle: optional(id, "bundle; by default the latest") },
  options: {
    trust: optional(path, "trust policy; by default trust.json of the workspace"),
    revocations: optional(path, "revocation list; by default revocations.json next to the trust policy"),
    environment: preset(name, "production", "environment of the approvals"),
    out: preset(path, "release.html", "output file: .html, .md or .json"),
  },
  examples: [
    ["sluice report release", "the latest bundle, as one self-contained page"],
    ["sluice report release 3f9c01ab --out release.md", "a specific one, as Markdown"],
  ],
} satisfies CommandSpec;

export const reportCalibrationSpec = {
  name: ["report", "calibration"],
  describe: "Write the page of a calibration: its claim, certification and limits",
  positionals: { calibration: optional(id, "calibration; by default the latest") },
  options: {
    withPlan: flag("also simulate every claim and target; takes longer"),
    charts: chartsOption,
    out: preset(path, "calibration.html", "output file: .html, .md or .json"),
  },
  examples: [
    ["sluice report calibration", "the latest calibration, as one self-contained page"],
    [
      "sluice report calibration 3f9c01ab --out calibration.md --charts charts",
      "a specific one, with its charts as files",
    ],
  ],
} satisfies CommandSpec;
