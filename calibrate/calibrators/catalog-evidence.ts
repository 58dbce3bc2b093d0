import { groupBy } from "../../src/base/group-by.js";
import { logistic } from "../../src/router/policy/calibrator-curve.js";
import { evidenceLogit } from "../../src/router/policy/evidence-curve.js";
import { noEvidence } from "../../src/router/policy/request-evidence.js";
import type { CalibrationRow, CurveFit } from "./calibration-row.js";
import { fitVerifierEvidence } from "./verifier-evidence.js";

/** Ridge penalty on half the squared shift of a workflow, in requests (docs/adr/0014). */
const shiftRidge = 4;
const newtonSteps = 50;
const smallestStep = 1e-12;

/**
 * The curve of `fitVerifierEvidence` with a shift per workflow, learned from how often the workflow was right as top
 * candidate: some workflows are confused more often than their evidence suggests. The rows must come from the catalog
 * that the calibrator will serve.
 */
export function fitCatalogEvidence(rows: readonly CalibrationRow[]): CurveFit {
  const base = fitVerifierEvidence(rows);
  if (!base.fitted || base.curve.family !== "verifier-evidence") return base;
  const { curve } = base;
  const first = groupBy(rows, ({ evidence }) => evidence?.workflowId ?? "");
  const workflows = [...first]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([workflow_id, own]) => {
      const logits = own.map(({ logit, evidence }) => evidenceLogit(curve, logit, evidence ?? noEvidence));
      return { workflow_id, shift: shiftOf(own, logits) };
    });
  return { fitted: true, curve: { ...curve, family: "catalog-evidence", workflows } };
}

/**
 * Ridge-penalised intercept of a logistic regression with the logits as offset, by Newton steps (the loss is convex).
 */
function shiftOf(rows: readonly CalibrationRow[], logits: readonly number[]): number {
  let shift = 0;
  for (let step = 0; step < newtonSteps; step += 1) {
    let [gradient, curvature] = [shiftRidge * shift, shiftRidge];
    for (const [i, { right, weight }] of rows.entries()) {
      const p = logistic(logits[i] + shift);
      gradient += weight * (p - (right ? 1 : 0));
      curvature += weight * p * (1 - p);
    }
    const change = gradient / curvature;
    shift -= change;
    if (Math.abs(change) < smallestStep) break;
  }
  return shift;
}
