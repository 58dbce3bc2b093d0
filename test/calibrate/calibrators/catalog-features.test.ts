import type { CalibrationRow } from "../../../calibrate/calibrators/calibration-row.js";
import { fitCatalogFeatures } from "../../../calibrate/calibrators/catalog-features.js";
import { fitVerifierFeatures } from "../../../calibrate/calibrators/verifier-features.js";
import { chooseCalibrator } from "../../../calibrate/choose-calibrator.js";
import { curveAt, logistic } from "../../../src/router/policy/calibrator-curve.js";
import { noFeatures } from "../../../src/router/policy/request-features.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { assert, pluck, test } from "../../support/test.js";

const offsets = { "flow.easy": 1.5, "flow.usual": 0, "flow.hard": -1.5 } as const;
const ids = ["flow.usual", "flow.hard", "flow.easy"] as const;

/** Rows whose log odds of being right are their logit and an offset of the first workflow. */
function rowsByWorkflow(size: number): readonly CalibrationRow[] {
  const random = seededRandom(6);
  return Array.from({ length: size }, (_, i) => {
    const workflowId = ids[i % ids.length] ?? "flow.usual";
    const logit = 1.5 * random.normal();
    const verifier = { names: ["noise"], values: [random.normal()] };
    const features = { margin: 1, retrieval: random.uniform(), entropy: 0, agreement: 1, workflowId, verifier };
    const right = random.uniform() < logistic(logit + offsets[workflowId]);
    return { logit, right, weight: 1, cluster: `c${i % 40}`, features };
  });
}

const shiftsOf = (rows: readonly CalibrationRow[]) => {
  const fit = fitCatalogFeatures(rows);
  assert.ok(fit.fitted && fit.curve.family === "catalog-features");
  return fit.curve;
};

test("each workflow gets the shift that its requests show, in the order of the ids", () => {
  const { workflows } = shiftsOf(rowsByWorkflow(30_000));
  assert.equal(pluck(workflows, "workflow_id"), ["flow.easy", "flow.hard", "flow.usual"]);
  for (const { workflow_id, shift } of workflows) {
    const expected = offsets[workflow_id as keyof typeof offsets];
    assert.ok(Math.abs(shift - expected) < 0.25, `${workflow_id}: ${shift}`);
  }
});

test("a workflow with one request hardly moves, and one that was never first stays where it is", () => {
  const rows = rowsByWorkflow(3000);
  const [first] = rows;
  const features = { ...(first?.features ?? noFeatures), workflowId: "flow.rare" };
  const curve = shiftsOf([...rows, { logit: 3, right: false, weight: 1, cluster: "rare", features }]);
  const rare = curve.workflows.find(({ workflow_id }) => workflow_id === "flow.rare")?.shift ?? 0;
  assert.ok(rare < 0 && rare > -0.25, String(rare));

  const base = fitVerifierFeatures(rows);
  assert.ok(base.fitted);
  const unknown = { ...features, workflowId: "flow.unknown" };
  assert.is(curveAt(shiftsOf(rows), 1, unknown), curveAt(base.curve, 1, unknown));
});

test("it is fitted only on request, and never chosen", () => {
  const rows = rowsByWorkflow(3000);
  assert.is(chooseCalibrator(rows, { family: "catalog-features" }).calibrator.family, "catalog-features");
  const { calibrator, candidates } = chooseCalibrator(rows);
  assert.is.not(calibrator.family, "catalog-features");
  assert.is(
    candidates.some(({ family }) => family === "catalog-features"),
    false,
  );
});

test("rows without features of the verifier are refused", () => {
  const rows = rowsByWorkflow(300).map((row) => ({ ...row, features: noFeatures }));
  assert.equal(fitCatalogFeatures(rows), { fitted: false, reason: "there are no features of the verifier" });
});
