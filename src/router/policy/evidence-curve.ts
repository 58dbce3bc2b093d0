import type { CalibratorCurve } from "../../documents/calibrator.js";
import type { RequestEvidence } from "./request-evidence.js";

/** Curves that move all confidences of a request with what the whole request shows. */
export type EvidenceCurve = Extract<
  CalibratorCurve,
  { readonly family: "evidence" | "verifier-evidence" | "catalog-evidence" }
>;

/** Whether a curve has this form. */
export function readsRequest(curve: CalibratorCurve): curve is EvidenceCurve {
  return "weights" in curve;
}

/** Log odds of a candidate by its match logit and the evidence of its request. */
export function evidenceLogit(curve: EvidenceCurve, z: number, evidence: RequestEvidence): number {
  const { intercept, weights } = curve;
  const logit =
    intercept +
    weights.logit * z +
    weights.margin * evidence.margin +
    weights.retrieval * evidence.retrieval +
    weights.entropy * evidence.entropy +
    weights.agreement * evidence.agreement;
  if (curve.family === "evidence") return logit;
  const read = logit + columnsLogit(curve.columns, evidence);
  return curve.family === "verifier-evidence" ? read : read + shiftOf(curve.workflows, evidence.workflowId);
}

type Columns = Extract<EvidenceCurve, { readonly columns: unknown }>["columns"];
type Shifts = Extract<EvidenceCurve, { readonly workflows: unknown }>["workflows"];

function columnsLogit(columns: Columns, { verifier }: RequestEvidence): number {
  let sum = 0;
  for (const [i, { weight }] of columns.entries()) sum += weight * (verifier?.values[i] ?? Number.NaN);
  return sum;
}

/** Shift of the first candidate, found by halving the list, which rises by id; 0 for a workflow that is not in it. */
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

/** Whether a verifier's columns are those that a curve reads, in the same order; true for a curve that reads none. */
export function readsColumns(curve: CalibratorCurve, features: readonly string[]): boolean {
  if (!("columns" in curve)) return true;
  const { columns } = curve;
  return features.length === columns.length && columns.every(({ name }, i) => name === features[i]);
}
