import type { RequestFeatures } from "../../src/router/policy/request-features.js";
import type { CalibrationRow, CurveFit } from "./calibration-row.js";
import { fitLogistic, standardised } from "./logistic-regression.js";

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
  const columns = names.map((name) => standardised(rows.map(valueOf[name])));
  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  const varies = columns.filter((column) => column.spread > 0).length;
  const found = fitLogistic(
    {
      features: [...columns.map((column) => column.feature), new Float64Array(rows.length).fill(1)],
      target: Float64Array.from(rows, (row) => (row.right ? 1 : 0)),
      weight: Float64Array.from(rows, (row) => row.weight),
      ridge: [...names, "intercept"].map(() => ridgePerRow * total),
    },
    [...names.map(() => 0), 0],
  );
  if (found === null || varies === 0) return { fitted: false, reason: "the rows have no finite optimum" };

  const raw = (name: Feature): number => {
    const index = names.indexOf(name);
    const spread = columns[index]?.spread ?? 0;
    return spread === 0 ? 0 : (found[index] ?? 0) / spread;
  };
  const weights = {
    logit: raw("logit"),
    margin: raw("margin"),
    retrieval: raw("retrieval"),
    entropy: raw("entropy"),
    agreement: raw("agreement"),
  };
  if (!(weights.logit > 0)) return { fitted: false, reason: "the scores do not increase with correctness" };
  const shift = names.reduce((sum, name, index) => sum + weights[name] * (columns[index]?.mean ?? 0), 0);
  return { fitted: true, curve: { family: "request-features", intercept: (found.at(-1) ?? 0) - shift, weights } };
}
