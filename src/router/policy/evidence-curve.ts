import type { CalibratorCurve } from "../../documents/calibrator.js";
import type { RequestEvidence } from "./request-evidence.js";

/** Curves whose confidences also depend on features of the whole request. */
export type EvidenceCurve = Extract<
  CalibratorCurve,
  { readonly family: "evidence" | "verifier-evidence" | "catalog-evidence" }
>;

/** Whether a curve is an evidence curve. */
export function readsRequest(curve: CalibratorCurve): curve is EvidenceCurve {
  return "weights" in curve;
}

/** Log odds of a candidate, from its match logit and the evidence of its request. */
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
export function readsColumns(curve: CalibratorCurve, features: readonly string[]): boolean {
  if (!("columns" in curve)) return true;
  const { columns } = curve;
  return features.length === columns.length && columns.every(({ name }, i) => name === features[i]);
}
