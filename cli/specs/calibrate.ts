import { optional } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { fitOptions, planOptions } from "../../stages/options/calibrate.js";
import { id } from "../../stages/options/kinds.js";

export const calibratePlanSpec = {
  name: ["calibrate", "plan"],
  describe: "Estimate which claims and targets the data can support, and what data is missing",
  positionals: {},
  options: planOptions,
  examples: [
    ["sluice calibrate plan", "both claims, targets from 2 to 30%, on the latest run"],
    [
      "sluice calibrate plan --claim fixed-catalog --out-of-scope-share 0.1 --json",
      "one claim for a declared out-of-scope share, as JSON",
    ],
  ],
} satisfies CommandSpec;

export const calibrateFitSpec = {
  name: ["calibrate", "fit"],
  describe: "Fit thresholds and certify a claim; a tier without enough evidence abstains",
  positionals: {},
  options: fitOptions,
  examples: [
    ["sluice calibrate fit --target 0.1", "at most 10% of routes go to the wrong workflow"],
    [
      "sluice calibrate fit --target 0.1 --require-tier critical=0.05",
      "and at most 5% in tier critical, which otherwise abstains",
    ],
  ],
} satisfies CommandSpec;

export const calibrateShowSpec = {
  name: ["calibrate", "show"],
  describe: "Show what a calibration claims, and the evidence for it",
  positionals: {},
  options: { calibration: optional(id, "calibration; by default the latest") },
  examples: [
    ["sluice calibrate show", "the latest calibration"],
    ["sluice calibrate show --calibration 3f9c01ab --json", "a specific one, as JSON"],
  ],
} satisfies CommandSpec;
