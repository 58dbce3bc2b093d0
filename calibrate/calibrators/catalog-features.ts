import { groupBy } from "../../src/base/group-by.js";
import { logistic, featureLogit } from "../../src/router/policy/calibrator-curve.js";
import { noFeatures } from "../../src/router/policy/request-features.js";
import type { CalibrationRow, CurveFit } from "./calibration-row.js";
import { fitVerifierFeatures } from "./verifier-features.js";

/** Ridge penalty on half the squared shift of a workflow, in requests (docs/adr/0014). */
const shiftRidge = 4;
const newtonSteps = 50;
const smallestStep = 1e-12;

/**
 * The curve of `fitVerifierFeatures` with a shift per workflow, learned from how often the workflow was right as top
 * candidate: some workflows are confused more often than their features suggest. The rows must come from the catalog
 * that the calibrator will serve.
 */
export function fitCatalogFeatures(rows: readonly CalibrationRow[]): CurveFit {
  const base = fitVerifierFeatures(rows);
  if (!base.fitted || base.curve.family !== "verifier-features") return base;
  const { curve } = base;
  const first = groupBy(rows, ({ features }) => features?.workflowId ?? "");
  const workflows = [...first]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([workflow_id, own]) => {
      const logits = own.map(({ logit, features }) => featureLogit(curve, logit, features ?? noFeatures));
      return { workflow_id, shift: shiftOf(own, logits) };
    });
  return { fitted: true, curve: { ...curve, family: "catalog-features", workflows } };
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
