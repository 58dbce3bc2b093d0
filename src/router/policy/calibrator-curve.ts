import type { CalibratorCurve } from "../../documents/calibrator.js";
import type { RequestFeatures } from "./request-features.js";

/** Logistic function 1 / (1 + exp(-t)), stable for large |t|. */
export function logistic(t: number): number {
  if (t >= 0) return 1 / (1 + Math.exp(-t));
  const e = Math.exp(t);
  return e / (1 + e);
}

/** Leaves the verifier's probability as it is; used where nothing is calibrated. */
export const identityCurve = { family: "identity", slope: 1, intercept: 0 } as const;

/**
 * Calibrated probability that a candidate is right, in [0, 1], not rounded. It is non-decreasing in the logit. Fitting,
 * evaluation and serving all compute confidences with this function.
 *
 * @param z  match logit of the candidate
 * @param features  of its request; only the three feature families use them
 */
export function curveAt(curve: CalibratorCurve, z: number, features: RequestFeatures): number {
  return logistic("slope" in curve ? curve.slope * z + curve.intercept : featureLogit(curve, z, features));
}

/** Curves whose confidences also depend on features of the whole request. */
export type FeatureCurve = Extract<
  CalibratorCurve,
  { readonly family: "request-features" | "verifier-features" | "catalog-features" }
>;

/** Whether the confidences of a curve depend on features of the whole request. */
export function readsRequest(curve: CalibratorCurve): curve is FeatureCurve {
  return "weights" in curve;
}

/** Log odds of a candidate, from its match logit and the features of its request. */
export function featureLogit(curve: FeatureCurve, z: number, features: RequestFeatures): number {
  const { intercept, weights } = curve;
  const logit =
    intercept +
    weights.logit * z +
    weights.margin * features.margin +
    weights.retrieval * features.retrieval +
    weights.entropy * features.entropy +
    weights.agreement * features.agreement;
  if (curve.family === "request-features") return logit;
  const read = logit + columnsLogit(curve.columns, features);
  return curve.family === "verifier-features" ? read : read + shiftOf(curve.workflows, features.workflowId);
}

type Columns = Extract<FeatureCurve, { readonly columns: unknown }>["columns"];
type Shifts = Extract<FeatureCurve, { readonly workflows: unknown }>["workflows"];

function columnsLogit(columns: Columns, { verifier }: RequestFeatures): number {
  let sum = 0;
  for (const [i, { weight }] of columns.entries()) sum += weight * (verifier?.values[i] ?? Number.NaN);
  return sum;
}

/**
 * Offset of the first candidate, found by binary search in the list, which is sorted by id; 0 for a workflow that is
 * not in the list.
 */
function shiftOf(shifts: Shifts, workflowId: string | undefined): number {
  if (workflowId === undefined) return 0;
  let [low, high] = [0, shifts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = shifts[middle];
    if (found?.workflow_id === workflowId) return found.shift;
    if (found !== undefined && found.workflow_id < workflowId) low = middle + 1;
    else high = middle;
  }
  return 0;
}

/**
 * Whether a verifier has exactly the columns that a curve reads, in the same order; true for a curve that reads none.
 */
export function readsColumns(curve: CalibratorCurve, names: readonly string[]): boolean {
  if (!("columns" in curve)) return true;
  const { columns } = curve;
  return names.length === columns.length && columns.every(({ name }, i) => name === names[i]);
}
