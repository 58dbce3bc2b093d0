import type { VerifierEvidence } from "../../src/domain/decision.js";
import { requestLogit } from "../../src/policy/calibrator-curve.js";
import type { CalibrationRow, CurveFit } from "./calibration-row.js";
import { fitEvidence } from "./evidence.js";
import { fitLogistic, standardised } from "./logistic-regression.js";

/**
 * Half the square of a column's standardised weight costs so much, in requests: a column earns its weight by many of
 * them, and few requests leave the confidences where `fitEvidence` has them (docs/adr/0014).
 */
const columnRidge = 40;
/** The same for the intercept, per request. */
const interceptRidge = 1e-4;

/**
 * The curve of `fitEvidence`, corrected by a ridge-penalised logistic regression on every column that the verifier read of
 * the first candidate. The correction is the same for all candidates of a request, so that their order stays that of
 * their logits.
 */
export function fitVerifierEvidence(rows: readonly CalibrationRow[]): CurveFit {
  const read = columnsOf(rows);
  if (read === null) return { fitted: false, reason: "there is no evidence of the verifier" };
  const base = fitEvidence(rows);
  if (!base.fitted || base.curve.family !== "evidence") return base;
  const { intercept, weights } = base.curve;

  const columns = read.features.map((_, i) => standardised(read.values.map((values) => values[i] ?? 0)));
  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  const found = fitLogistic(
    {
      features: [...columns.map(({ feature }) => feature), new Float64Array(rows.length).fill(1)],
      target: Float64Array.from(rows, ({ right }) => (right ? 1 : 0)),
      weight: Float64Array.from(rows, ({ weight }) => weight),
      ridge: [...columns.map(() => columnRidge), interceptRidge * total],
      offset: Float64Array.from(rows, ({ logit, evidence }) => requestLogit({ intercept, weights }, logit, evidence)),
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
      intercept: intercept + (found.at(-1) ?? 0) - shift,
      weights,
      columns: read.features.map((name, i) => ({ name, weight: raw[i] ?? 0 })),
    },
  };
}

interface Columns {
  readonly features: VerifierEvidence["features"];
  /** One list for each row. */
  readonly values: readonly VerifierEvidence["values"][];
}

/** What the verifier read of each row; null when it is not known of every row under the same names. */
function columnsOf(rows: readonly CalibrationRow[]): Columns | null {
  const known = rows.flatMap(({ evidence }) => evidence?.verifier ?? []);
  const features = known[0]?.features ?? [];
  const same = known.every((one) => one.features === features || one.features.join() === features.join());
  if (features.length === 0 || known.length < rows.length || !same) return null;
  return { features, values: known.map(({ values }) => values) };
}
