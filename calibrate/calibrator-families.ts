import { identityCurve } from "../src/router/policy/calibrator-curve.js";
import type { CalibratorFamily } from "../src/documents/calibrator.js";
import type { CalibrationRow, CurveFit, LinearFit } from "./calibrators/calibration-row.js";
import { fitCatalogFeatures } from "./calibrators/catalog-features.js";
import { fitRequestFeatures } from "./calibrators/request-features.js";
import { fitPlatt } from "./calibrators/platt.js";
import { fitVerifierFeatures } from "./calibrators/verifier-features.js";

/** A calibrator family: its curve and its fit. */
export interface Family {
  readonly family: CalibratorFamily;
  /** Whether it may be used with few errors, because it has no parameter. */
  readonly simple: boolean;
  /** Fitted only on request, because held-out workflows cannot evaluate it. */
  readonly onRequest?: true;
  /** A flexible shape, used only if a straight line through the rows rises too. */
  readonly bends?: true;
  /** See `fitFamily`. */
  readonly fit: (rows: readonly CalibrationRow[]) => CurveFit;
}

const lines = new WeakMap<readonly CalibrationRow[], LinearFit>();

/** The Platt line of the rows, cached because every family but identity needs it. */
function lineOf(rows: readonly CalibrationRow[]): LinearFit {
  const known = lines.get(rows) ?? fitPlatt(rows);
  lines.set(rows, known);
  return known;
}

function fitLine(rows: readonly CalibrationRow[]): CurveFit {
  const line = lineOf(rows);
  if (!line.fitted) return line;
  if (!(line.slope > 0)) return { fitted: false, reason: "the scores are unrelated to correctness" };
  return { fitted: true, curve: { family: "platt", slope: line.slope, intercept: line.intercept } };
}

/** Whether confidence rises with the score, judged by a straight line through the rows. */
export function scoresRise(rows: readonly CalibrationRow[]): boolean {
  const line = lineOf(rows);
  return line.fitted && line.slope > 0;
}

const doesNotRise: CurveFit = { fitted: false, reason: "the scores do not increase with correctness" };

export function fitFamily({ bends, fit }: Family, rows: readonly CalibrationRow[]): CurveFit {
  return bends === true && !scoresRise(rows) ? doesNotRise : fit(rows);
}

/** Families by ascending number of parameters. */
export const calibratorFamilies: readonly Family[] = [
  { family: "identity", simple: true, fit: () => ({ fitted: true, curve: identityCurve }) },
  { family: "platt", simple: false, fit: fitLine },
  { family: "request-features", simple: false, bends: true, fit: fitRequestFeatures },
  { family: "verifier-features", simple: false, bends: true, fit: fitVerifierFeatures },
  { family: "catalog-features", simple: false, onRequest: true, bends: true, fit: fitCatalogFeatures },
];
