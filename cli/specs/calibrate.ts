import { flag, optional, preset, type ValueKind } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { plannedTargets } from "../../src/documents/calibration-plan.js";
import { claimKinds, calibratorFamilyNames } from "../../src/documents/choices.js";
import { choice, count, id, probability, seed, text, path } from "../parsers.js";
import { calibratorText, claimOptions, shares, times } from "../commands/calibrate/claim-options.js";
import { defaultProcedure } from "../../stages/choices.js";
import type { BackgroundSource } from "../../stages/fit/background-source.js";

/** Background requests of a fit. A file with the name of a keyword must be given with a path, e.g. ./none. */
const backgroundSource: ValueKind<BackgroundSource> = {
  placeholder: "SOURCE",
  parse: (raw, name) => {
    if (raw === "auto" || raw === "none") return raw;
    return raw === "default" ? "shipped" : { file: path.parse(raw, name) };
  },
};

export const calibratePlanSpec = {
  name: ["calibrate", "plan"],
  describe: "Estimate which claims and targets the data can support, and what data is missing",
  positionals: {},
  options: {
    run: optional(id, "run; by default the latest"),
    claim: optional(choice(...claimKinds), "claim to plan for: new-workflows or fixed-catalog; by default both"),
    targets: preset(shares, plannedTargets.join(), "targets to plan for"),
    delta: preset(probability, String(defaultProcedure.delta), "probability that a claim fails"),
    calibrator: optional(choice(...calibratorFamilyNames), calibratorText),
    "cross-fit": optional(
      count,
      `number of parts for cross-fitting TUNE and CERTIFY; by default ${defaultProcedure.cross_fit}`,
    ),
    "out-of-scope-share": optional(probability, "out-of-scope share in production; by default the share in the data"),
    "with-fit": flag("use FIT too; only if no model was fitted on it and none of its texts is an example"),
    samples: preset(times, "200", "simulated certifications for each estimate"),
    seed: preset(seed, "1", "seed of the simulation"),
  },
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
  options: {
    run: optional(id, "run; by default the latest"),
    ...claimOptions,
    background: preset(
      backgroundSource,
      "auto",
      "requests that the calibrator learns as out of scope, with a declared share: none, default or a file; auto selects default if no labelled request is out of scope",
    ),
    "follow-ups": optional(path, "labelled requests that follow another one, JSON Lines, with claims of their own"),
    name: optional(text, "name of the calibration; by default derived from the run"),
  },
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
