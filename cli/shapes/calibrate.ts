import type { CommandShape } from "../command-shape.js";
import { plannedTargets } from "../../calibrate/plan/calibration-plan.js";
import { claimKinds, calibratorFamilyNames } from "../../src/domain/choices.js";
import { flag, optional, preset } from "../options.js";
import { choice, count, id, probability, seed, text } from "../parsers.js";
import { claimOptions } from "../commands/calibrate/claim-options.js";
import { factors, shares, times } from "../commands/calibrate/targets.js";

export const calibratePlanShape = {
  name: ["calibrate", "plan"],
  describe: "Say which claims and targets the data can support, and what is missing, before anything is certified",
  positionals: {},
  options: {
    run: optional(id, "run; the latest when absent"),
    claim: optional(choice(...claimKinds), "claim to plan for, new-workflows or fixed-catalog; both when absent"),
    targets: preset(shares, plannedTargets.join(), "targets to plan for"),
    delta: preset(probability, "0.05", "probability that the claim fails"),
    calibrator: optional(
      choice(...calibratorFamilyNames),
      "family of the calibrator; chosen by held-out loss if absent",
    ),
    "cross-fit": preset(count, "8", "parts in which TUNE and CERTIFY learn and are tested"),
    "out-of-scope-share": optional(
      probability,
      "declared out-of-scope share in production; that of the data when absent",
    ),
    "with-fit": flag("read FIT too; only where no model learned from it and no text of it is an example"),
    samples: preset(times, "200", "simulated certifications behind each probability"),
    seed: preset(seed, "1", "seed of the simulation"),
  },
  examples: [
    ["sluice calibrate plan", "both claims, at 2 to 30 %, from the latest run"],
    [
      "sluice calibrate plan --claim fixed-catalog --out-of-scope-share 0.1 --json",
      "one claim for a declared mix, as data",
    ],
  ],
} satisfies CommandShape;

export const calibrateFitShape = {
  name: ["calibrate", "fit"],
  describe: "Fit and certify the thresholds that a claim holds at; what the evidence cannot show abstains",
  positionals: {},
  options: {
    run: optional(id, "run; the latest when absent"),
    ...claimOptions,
    name: optional(text, "calibration version; made from the run when absent"),
  },
  examples: [
    ["sluice calibrate fit --target 0.1", "when it routes, at most 10 % of the routes are wrong"],
    [
      "sluice calibrate fit --target 0.1 --require-tier critical=0.05",
      "and tier critical holds 5 % by itself, or abstains",
    ],
  ],
} satisfies CommandShape;

export const calibrateShowShape = {
  name: ["calibrate", "show"],
  describe: "Say in words what a calibration promises and on what evidence",
  positionals: {},
  options: { calibration: optional(id, "calibration; the latest when absent") },
  examples: [
    ["sluice calibrate show", "the latest calibration"],
    ["sluice calibrate show --calibration 3f9c01ab --json", "another one, as data"],
  ],
} satisfies CommandShape;

export const calibrateSimulateShape = {
  name: ["calibrate", "simulate"],
  describe: "Repeat the calibration on resampled workflows: how often claims break, and what more data would buy",
  positionals: {},
  options: {
    run: optional(id, "run; the latest when absent"),
    ...claimOptions,
    repetitions: preset(times, "200", "repetitions for each size of the folds"),
    "first-seed": preset(seed, "1", "seed of the first repetition; the next ones follow"),
    "data-factors": preset(factors, "1,2,4", "sizes of the folds, in multiples of the present ones"),
  },
  examples: [
    [
      "sluice calibrate simulate --target 0.1",
      "200 repetitions with the present amount of data, twice and four times it",
    ],
    ["sluice calibrate simulate --repetitions 500 --data-factors 1 --json", "more repetitions of one size, as data"],
  ],
} satisfies CommandShape;
