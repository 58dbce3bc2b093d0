import type { CommandSpec } from "../command-spec.js";
import { junitOption } from "../options.js";
import { releasePageOptions } from "../../stages/options/release.js";
import { calibrationPageOptions, reportOptions } from "../../stages/options/report.js";

export const reportEvalSpec = {
  name: ["report", "eval"],
  describe: "Write the evaluation report of a run as HTML, Markdown or JSON",
  positionals: {},
  options: reportOptions,
  own: junitOption,
  examples: [
    ["sluice report eval", "one self-contained HTML page"],
    ["sluice report eval --run 77e1d2c4 --min-confidence 0.5 --out report.md", "imported predictions, as Markdown"],
  ],
} satisfies CommandSpec;

const { bundle, ...release } = releasePageOptions;

export const reportReleaseSpec = {
  name: ["report", "release"],
  describe: "Write the release page for approvers as HTML, Markdown or JSON",
  positionals: { bundle },
  options: release,
  examples: [
    ["sluice report release", "the latest bundle, as one self-contained page"],
    ["sluice report release 3f9c01ab --out release.md", "a specific one, as Markdown"],
  ],
} satisfies CommandSpec;

const { calibration, ...page } = calibrationPageOptions;

export const reportCalibrationSpec = {
  name: ["report", "calibration"],
  describe: "Write the page of a calibration: its claim, certification and limits",
  positionals: { calibration },
  options: page,
  examples: [
    ["sluice report calibration", "the latest calibration, as one self-contained page"],
    [
      "sluice report calibration 3f9c01ab --out calibration.md --charts charts",
      "a specific one, with its charts as files",
    ],
  ],
} satisfies CommandSpec;
