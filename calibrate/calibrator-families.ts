import type { CalibratorFamily } from "../src/documents/calibrator.js";
import type { CalibrationRow, CurveFit, LinearFit } from "./calibrators/calibration-row.js";
import { fitCatalogEvidence } from "./calibrators/catalog-evidence.js";
import { fitEvidence } from "./calibrators/evidence.js";
import { fitIsotonic } from "./calibrators/isotonic.js";
import { fitPlatt } from "./calibrators/platt.js";
import { fitTemperature } from "./calibrators/temperature.js";
import { fitVerifierEvidence } from "./calibrators/verifier-evidence.js";

/** A calibrator family: its curve and its fit. */
export interface Family {
  readonly family: CalibratorFamily;
  /** Whether it may be fitted on few errors, because it has at most one parameter. */
  readonly simple: boolean;
  /** Fitted only on request, because held-out workflows cannot evaluate it. */
  readonly onRequest?: true;
  /** A flexible shape, used only if a straight line through the rows rises too. */
  readonly bends?: true;
  /** See `fitFamily`. */
  readonly fit: (rows: readonly CalibrationRow[]) => CurveFit;
}

const linear =
  (family: "temperature" | "platt", fit: (rows: readonly CalibrationRow[]) => LinearFit) =>
  (rows: readonly CalibrationRow[]): CurveFit => {
    const line = fit(rows);
    if (!line.fitted) return line;
    if (!(line.slope > 0)) return { fitted: false, reason: "the scores are unrelated to correctness" };
    return { fitted: true, curve: { family, slope: line.slope, intercept: line.intercept } };
  };

const lines = new WeakMap<readonly CalibrationRow[], LinearFit>();

/** The Platt line of the rows, cached because two families and the choice of the family need it. */
function lineOf(rows: readonly CalibrationRow[]): LinearFit {
  const known = lines.get(rows) ?? fitPlatt(rows);
  lines.set(rows, known);
  return known;
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

export const identityCurve = { family: "identity", slope: 1, intercept: 0 } as const;

/** Families by ascending number of parameters. */
export const calibratorFamilies: readonly Family[] = [
  { family: "identity", simple: true, fit: () => ({ fitted: true, curve: identityCurve }) },
  { family: "temperature", simple: true, fit: linear("temperature", fitTemperature) },
  { family: "platt", simple: false, fit: linear("platt", lineOf) },
  { family: "evidence", simple: false, bends: true, fit: fitEvidence },
  { family: "isotonic", simple: false, bends: true, fit: fitIsotonic },
  { family: "verifier-evidence", simple: false, bends: true, fit: fitVerifierEvidence },
  { family: "catalog-evidence", simple: false, onRequest: true, bends: true, fit: fitCatalogEvidence },
];
