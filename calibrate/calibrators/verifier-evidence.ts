import type { VerifierEvidence } from "../../src/documents/decision.js";
import { type EvidenceCurve, evidenceLogit } from "../../src/router/policy/evidence-curve.js";
import { noEvidence } from "../../src/router/policy/request-evidence.js";
import type { CalibrationRow, CurveFit } from "./calibration-row.js";
import { fitEvidence } from "./evidence.js";
import { fitPlatt } from "./platt.js";
import { fitLogistic, standardised } from "./logistic-regression.js";

/**
 * Ridge penalty on half the squared standardised weight of a column, in requests: with few requests the weights stay
 * small and the confidences stay close to `fitEvidence` (docs/adr/0014).
 */
const columnRidge = 40;
/** Ridge penalty on the intercept, per request. */
const interceptRidge = 1e-4;

/**
 * The curve of `fitEvidence` (or of `fitPlatt` if that cannot be fitted), corrected by a ridge-penalised logistic
 * regression on every evidence column of the top candidate. The correction is the same for all candidates of a request,
 * so they keep the order of their logits.
 */
export function fitVerifierEvidence(rows: readonly CalibrationRow[]): CurveFit {
  const read = columnsOf(rows);
  if (read === null) return { fitted: false, reason: "there is no evidence of the verifier" };
  const curve = baseOf(rows);
  if (curve === null) return { fitted: false, reason: "the scores do not increase with correctness" };

  const columns = read.features.map((_, i) => standardised(columnOf(read, i)));
  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  const found = fitLogistic(
    {
      features: [...columns.map(({ feature }) => feature), new Float64Array(rows.length).fill(1)],
      target: Float64Array.from(rows, ({ right }) => (right ? 1 : 0)),
      weight: Float64Array.from(rows, ({ weight }) => weight),
      ridge: [...columns.map(() => columnRidge), interceptRidge * total],
      offset: Float64Array.from(rows, ({ logit, evidence }) => evidenceLogit(curve, logit, evidence ?? noEvidence)),
    },
    [...columns.map(() => 0), 0],
  );
  if (found === null) return { fitted: false, reason: "the rows have no finite optimum" };

  const raw = columns.map(({ spread }, i) => (spread === 0 ? 0 : (found[i] ?? 0) / spread));
  const shift = columns.reduce((sum, { mean }, i) => sum + (raw[i] ?? 0) * mean, 0);
  return {
    fitted: true,
    curve: {
      family: "verifier-evidence",
      intercept: curve.intercept + (found.at(-1) ?? 0) - shift,
      weights: curve.weights,
      columns: read.features.map((name, i) => ({ name, weight: raw[i] ?? 0 })),
    },
  };
}

type Base = Extract<EvidenceCurve, { readonly family: "evidence" }>;

/** The curve to correct: that of `fitEvidence`, or the Platt line if that curve would fall with the logit. */
function baseOf(rows: readonly CalibrationRow[]): Base | null {
  const fit = fitEvidence(rows);
  if (fit.fitted && fit.curve.family === "evidence") return fit.curve;
  const line = fitPlatt(rows);
  if (!line.fitted || !(line.slope > 0)) return null;
  const weights = { logit: line.slope, margin: 0, retrieval: 0, entropy: 0, agreement: 0 };
  return { family: "evidence", intercept: line.intercept, weights };
}

interface Columns {
  readonly features: VerifierEvidence["features"];
  /** One list per row. */
  readonly values: readonly VerifierEvidence["values"][];
}

function columnOf({ values }: Columns, index: number): Float64Array {
  const column = new Float64Array(values.length);
  for (let row = 0; row < column.length; row += 1) column[row] = values[row][index];
  return column;
}

/** Evidence columns; null unless every row has evidence with the same names. */
function columnsOf(rows: readonly CalibrationRow[]): Columns | null {
  const known = rows.flatMap(({ evidence }) => evidence?.verifier ?? []);
  const features = known[0]?.features ?? [];
  const same = known.every((one) => one.features === features || one.features.join() === features.join());
  if (features.length === 0 || known.length < rows.length || !same) return null;
  return { features, values: known.map(({ values }) => values) };
}
