import { flag, optional, preset } from "../../src/base/options.js";
import { foldOption, gateOptions } from "./eval.js";
import { id, path, probability } from "./kinds.js";

const charts = optional(path, "folder for the vega-lite spec, the SVG and the PNG of each chart");

/** `report eval`, `writeReport` */
export const reportOptions = {
  calibration: optional(id, "calibration; by default the latest, or the latest of the run"),
  run: optional(id, "run, possibly imported; by default the one of the calibration, or the latest"),
  minConfidence: optional(probability, "one confidence threshold for every tier, instead of a calibration"),
  fold: foldOption("fold to report; a fold other than EVAL adds a warning"),
  ...gateOptions,
  withTexts: flag("include request texts; anybody with the file can read them"),
  charts,
  out: optional(path, "output file, .html, .md or .json; by default report.html in the workspace"),
} as const;

/** `report calibration`, `writeCalibrationPage` */
export const calibrationPageOptions = {
  calibration: optional(id, "calibration; by default the latest"),
  withPlan: flag("also simulate every claim and target; takes longer"),
  charts,
  out: preset(path, "calibration.html", "output file: .html, .md or .json"),
} as const;
