import type { RequestFeatures } from "../../src/router/policy/request-features.js";
import type { CalibrationRow, CurveFit } from "./calibration-row.js";
import { fitColumns } from "./logistic-regression.js";

/** Ridge penalty per row on the squared standardised weights; large enough for a finite optimum on any rows. */
const ridgePerRow = 1e-4;

const valueOf = {
  logit: (row: CalibrationRow) => row.logit,
  margin: (row: CalibrationRow) => row.features?.margin ?? 0,
  retrieval: (row: CalibrationRow) => row.features?.retrieval ?? 0,
  entropy: (row: CalibrationRow) => row.features?.entropy ?? 0,
  agreement: (row: CalibrationRow) => row.features?.agreement ?? 0,
} as const satisfies Record<
  "logit" | Exclude<keyof RequestFeatures, "verifier" | "workflowId">,
  (row: CalibrationRow) => number
>;
type Feature = keyof typeof valueOf;

/**
 * Logistic regression of correctness on the top candidate's logit and on features of the request: margin, retrieval
 * score, entropy and rank agreement. The features are the same for all candidates of a request, so candidates keep the
 * order of their logits. Not fitted if the weight of the logit is not positive.
 */
export function fitRequestFeatures(rows: readonly CalibrationRow[]): CurveFit {
  if (rows.length === 0 || rows.some((row) => row.features === undefined)) {
    return { fitted: false, reason: "there are no features other than the logit" };
  }
  const names = Object.keys(valueOf) as Feature[];
  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  const ridge = ridgePerRow * total;
  const found = fitColumns({
    columns: names.map((name) => rows.map(valueOf[name])),
    target: Float64Array.from(rows, (row) => (row.right ? 1 : 0)),
    weight: Float64Array.from(rows, (row) => row.weight),
    ridge: { column: ridge, intercept: ridge },
  });
  if (found?.varies !== true) return { fitted: false, reason: "the rows have no finite optimum" };

  const weightOf = (name: Feature): number => found.weights[names.indexOf(name)] ?? 0;
  const weights = {
    logit: weightOf("logit"),
    margin: weightOf("margin"),
    retrieval: weightOf("retrieval"),
    entropy: weightOf("entropy"),
    agreement: weightOf("agreement"),
  };
  if (!(weights.logit > 0)) return { fitted: false, reason: "the scores do not increase with correctness" };
  return { fitted: true, curve: { family: "request-features", intercept: found.intercept, weights } };
}
