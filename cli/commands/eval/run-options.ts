import { folds } from "../../../src/documents/choices.js";
import { optional, preset } from "../../options.js";
import { choice, id, probability } from "../../parsers.js";

/** `--fold`: one fold, or all of them together. */
export const foldOption = (describe: string) => preset(choice(...folds, "all"), "eval", describe);

/** Options that name a run, the thresholds that decide for it, and the fold. */
export const decidedRunOptions = {
  run: optional(id, "run; by default the latest"),
  calibration: optional(id, "calibration that decides; by default the latest that applies to the run"),
  "min-confidence": optional(probability, "one confidence threshold for every tier, instead of a calibration"),
  fold: foldOption("fold to read; all for every fold"),
} as const;
