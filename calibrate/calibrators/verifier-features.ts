import type { VerifierFeatures } from "../../src/documents/decision.js";
import { type FeatureCurve, featureLogit } from "../../src/router/policy/calibrator-curve.js";
import { noFeatures } from "../../src/router/policy/request-features.js";
import type { CalibrationRow, CurveFit } from "./calibration-row.js";
import { fitRequestFeatures } from "./request-features.js";
import { fitPlatt } from "./platt.js";
import { fitColumns } from "./logistic-regression.js";

/**
 * Ridge penalty on half the squared standardised weight of a column, in requests: with few requests the weights stay
 * small and the confidences stay close to `fitRequestFeatures` (docs/adr/0014).
 */
const columnRidge = 40;
/** Ridge penalty on the intercept, per request. */
const interceptRidge = 1e-4;

/**
 * The curve of `fitRequestFeatures` (or of `fitPlatt` if that cannot be fitted), corrected by a ridge-penalised
 * logistic regression on every feature of the verifier for the top candidate. The correction is the same for all
 * candidates of a request, so they keep the order of their logits.
 */
export function fitVerifierFeatures(rows: readonly CalibrationRow[]): CurveFit {
  const read = columnsOf(rows);
  if (read === null) return { fitted: false, reason: "there are no features of the verifier" };
  const curve = baseOf(rows);
  if (curve === null) return { fitted: false, reason: "the scores do not increase with correctness" };

  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  const found = fitColumns({
    columns: read.names.map((_, i) => columnOf(read, i)),
    target: Float64Array.from(rows, ({ right }) => (right ? 1 : 0)),
    weight: Float64Array.from(rows, ({ weight }) => weight),
    ridge: { column: columnRidge, intercept: interceptRidge * total },
    offset: Float64Array.from(rows, ({ logit, features }) => featureLogit(curve, logit, features ?? noFeatures)),
    base: curve.intercept,
  });
  if (found === null) return { fitted: false, reason: "the rows have no finite optimum" };
  return {
    fitted: true,
    curve: {
      family: "verifier-features",
      intercept: found.intercept,
      weights: curve.weights,
      columns: read.names.map((name, i) => ({ name, weight: found.weights[i] ?? 0 })),
    },
  };
}

type Base = Extract<FeatureCurve, { readonly family: "request-features" }>;

/** The curve to correct: that of `fitRequestFeatures`, or the Platt line if that curve would fall with the logit. */
function baseOf(rows: readonly CalibrationRow[]): Base | null {
  const fit = fitRequestFeatures(rows);
  if (fit.fitted && fit.curve.family === "request-features") return fit.curve;
  const line = fitPlatt(rows);
  if (!line.fitted || !(line.slope > 0)) return null;
  const weights = { logit: line.slope, margin: 0, retrieval: 0, entropy: 0, agreement: 0 };
  return { family: "request-features", intercept: line.intercept, weights };
}

interface Columns {
  readonly names: VerifierFeatures["names"];
  /** One list per row. */
  readonly values: readonly VerifierFeatures["values"][];
}

function columnOf({ values }: Columns, index: number): Float64Array {
  const column = new Float64Array(values.length);
  for (let row = 0; row < column.length; row += 1) column[row] = values[row][index];
  return column;
}

/** The verifier's features as columns; null unless every row has features of the same names. */
function columnsOf(rows: readonly CalibrationRow[]): Columns | null {
  const known = rows.flatMap(({ features }) => features?.verifier ?? []);
  const names = known[0]?.names ?? [];
  const same = known.every((one) => one.names === names || one.names.join() === names.join());
  if (names.length === 0 || known.length < rows.length || !same) return null;
  return { names, values: known.map(({ values }) => values) };
}
