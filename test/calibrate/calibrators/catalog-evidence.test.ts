import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { CalibrationRow } from "../../../calibrate/calibrators/calibration-row.js";
import { fitCatalogEvidence } from "../../../calibrate/calibrators/catalog-evidence.js";
import { fitVerifierEvidence } from "../../../calibrate/calibrators/verifier-evidence.js";
import { chooseCalibrator } from "../../../calibrate/choose-calibrator.js";
import { curveAt, logistic } from "../../../src/router/policy/calibrator-curve.js";
import { noEvidence } from "../../../src/router/policy/request-evidence.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";

const test = suite("calibrate/calibrators/catalog-evidence");

const offsets = { "flow.easy": 1.5, "flow.usual": 0, "flow.hard": -1.5 } as const;
const ids = ["flow.usual", "flow.hard", "flow.easy"] as const;

/** Rows whose log odds of being right are their logit and an offset of the first workflow. */
function rowsByWorkflow(size: number): readonly CalibrationRow[] {
  const random = seededRandom(6);
  return Array.from({ length: size }, (_, i) => {
    const workflowId = ids[i % ids.length] ?? "flow.usual";
    const logit = 1.5 * random.normal();
    const verifier = { features: ["noise"], values: [random.normal()] };
    const evidence = { margin: 1, retrieval: random.uniform(), entropy: 0, agreement: 1, workflowId, verifier };
    const right = random.uniform() < logistic(logit + offsets[workflowId]);
    return { logit, right, weight: 1, cluster: `c${i % 40}`, evidence };
  });
}

const shiftsOf = (rows: readonly CalibrationRow[]) => {
  const fit = fitCatalogEvidence(rows);
  assert.ok(fit.fitted && fit.curve.family === "catalog-evidence");
  return fit.curve;
};

test("each workflow gets the shift that its requests show, in the order of the ids", () => {
  const { workflows } = shiftsOf(rowsByWorkflow(30_000));
  assert.equal(
    workflows.map(({ workflow_id }) => workflow_id),
    ["flow.easy", "flow.hard", "flow.usual"],
  );
  for (const { workflow_id, shift } of workflows) {
    const expected = offsets[workflow_id as keyof typeof offsets];
    assert.ok(Math.abs(shift - expected) < 0.25, `${workflow_id}: ${shift}`);
  }
});

test("a workflow with one request hardly moves, and one that was never first stays where it is", () => {
  const rows = rowsByWorkflow(3000);
  const [first] = rows;
  const evidence = { ...(first?.evidence ?? noEvidence), workflowId: "flow.rare" };
  const curve = shiftsOf([...rows, { logit: 3, right: false, weight: 1, cluster: "rare", evidence }]);
  const rare = curve.workflows.find(({ workflow_id }) => workflow_id === "flow.rare")?.shift ?? 0;
  assert.ok(rare < 0 && rare > -0.25, String(rare));

  const base = fitVerifierEvidence(rows);
  assert.ok(base.fitted);
  const unknown = { ...evidence, workflowId: "flow.unknown" };
  assert.is(curveAt(shiftsOf(rows), 1, unknown), curveAt(base.curve, 1, unknown));
});

test("it is fitted only on request, and never chosen", () => {
  const rows = rowsByWorkflow(3000);
  assert.is(chooseCalibrator(rows, { family: "catalog-evidence" }).calibrator.family, "catalog-evidence");
  const { calibrator, candidates } = chooseCalibrator(rows);
  assert.is.not(calibrator.family, "catalog-evidence");
  assert.is(
    candidates.some(({ family }) => family === "catalog-evidence"),
    false,
  );
});

test("rows without evidence of the verifier are refused", () => {
  const rows = rowsByWorkflow(300).map((row) => ({ ...row, evidence: noEvidence }));
  assert.equal(fitCatalogEvidence(rows), { fitted: false, reason: "there is no evidence of the verifier" });
});

test.run();
