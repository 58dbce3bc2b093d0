import fc from "fast-check";
import { chooseCalibrator } from "../../../../calibrate/choose-calibrator.js";
import { calibratorFamilies } from "../../../../calibrate/calibrator-families.js";
import { calibrationRows } from "../../../../calibrate/calibrators/calibration-row.js";
import { canonicalJson } from "../../../../src/base/canonical-json.js";
import { type Calibrator, type CalibratorCurve, CalibratorSchema } from "../../../../src/documents/calibrator.js";
import { checkSchema } from "../../../../src/documents/check-schema.js";
import { applyCalibration } from "../../../../src/router/policy/apply-calibration.js";
import { logistic } from "../../../../src/router/policy/calibrator-curve.js";
import { requestFeatures } from "../../../../src/router/policy/request-features.js";
import { seededRandom } from "../../../../src/base/numbers/seeded-random.js";
import { candidate, syntheticRecords, withVerifierFeatures } from "../../../calibrate/synthetic-records.js";
import { assert, test, throws } from "../../../support/test.js";

const records = withVerifierFeatures(
  syntheticRecords({
    seed: 5,
    folds: ["tune"],
    workflows: 40,
    requestsPerWorkflow: 20,
    outOfScopeGroups: 10,
    requestsPerGroup: 10,
    candidates: 4,
    difficulty: 0.6,
    overconfidence: 2,
  }),
  8,
);
const rows = calibrationRows(records);

for (const { family, fit } of calibratorFamilies) {
  test(`${family}: the parameters of the stored file give the same confidences, bit for bit`, () => {
    const found = fit(rows);
    if (!found.fitted) throw new Error(found.reason);
    const fitted = { ...found.curve, family, fitted_requests: 1, fitted_errors: 0 } as Calibrator;
    const stored: unknown = JSON.parse(canonicalJson(fitted));
    checkSchema(CalibratorSchema, stored, "calibrator");
    const restored = stored as Calibrator;
    for (const { candidates } of records) {
      assert.equal(applyCalibration(restored, candidates), applyCalibration(fitted, candidates));
    }
  });

  test(`${family}: candidates stay in the order of their logits, whatever order they come in`, () => {
    const found = fit(rows);
    if (!found.fitted) throw new Error(found.reason);
    const random = seededRandom(1);
    for (const { candidates } of records.slice(0, 100)) {
      const ranked = applyCalibration(found.curve, candidates);
      assert.equal(applyCalibration(found.curve, random.shuffle(candidates)), ranked);
      const logits = ranked.map(({ logits }) => logits.executable);
      assert.equal(
        logits,
        logits.toSorted((a, b) => b - a),
      );
    }
  });
}

test("features of the request are chosen where they add to the logit", () => {
  const random = seededRandom(12);
  const byMargin = Array.from({ length: 4000 }, (_, i) => {
    const features = { margin: 6 * random.uniform(), retrieval: 0, entropy: 0, agreement: 1 };
    const logit = random.normal();
    const right = random.uniform() < logistic(logit + 1.5 * (features.margin - 3));
    return { logit, right, weight: 1, cluster: `c${i % 80}`, features };
  });
  const { calibrator, candidates } = chooseCalibrator(byMargin);
  assert.is(calibrator.family, "request-features");
  const losses = candidates.map(({ held_out_loss }) => held_out_loss ?? Number.POSITIVE_INFINITY);
  assert.is(candidates.find((c) => c.held_out_loss === Math.min(...losses))?.family, "request-features");
});

test("what the verifier read moves all confidences of a request together, and only under its own columns", () => {
  const curve: CalibratorCurve = {
    family: "verifier-features",
    intercept: 0,
    weights: { logit: 1, margin: 0, retrieval: 0, entropy: 0, agreement: 0 },
    columns: [
      { name: "hint", weight: 2 },
      { name: "noise", weight: 0 },
    ],
  };
  const features = { names: ["hint", "noise"], values: [0.5, 3] };
  const candidates = [candidate("flow.a", 1, { features }), candidate("flow.b", -1), candidate("flow.c", 0)];
  assert.equal(
    applyCalibration(curve, candidates).map(({ workflow_id: workflowId, confidence }) => [workflowId, confidence]),
    [2, 1, 0].map((logit, i) => [["flow.a", "flow.c", "flow.b"][i], Math.round(1e6 * logistic(logit)) / 1e6]),
  );

  const renamed = { names: ["noise", "hint"], values: [0.5, 3] };
  for (const first of [candidate("flow.a", 1), candidate("flow.a", 1, { features: renamed })]) {
    const { message } = throws(() => applyCalibration(curve, [first]), "CALIBRATION_INVALID");
    assert.match(message, /requires features that these scored requests do not contain/);
  }
  const competitor = candidate("flow.s", 5, { eligible: false });
  assert.is(applyCalibration(curve, [competitor]).length, 1);
});

test("features of a request: margin, entropy and agreement of the eligible candidates only", () => {
  const candidates = [
    candidate("flow.a", 0, { retrieval_score: 0.4 }),
    candidate("flow.b", 0, { retrieval_score: 0.9 }),
    candidate("flow.s", 0, { eligible: false, retrieval_score: 1 }),
  ];
  const features = requestFeatures(candidates, [2, 1.5, 9]);
  assert.is(features.margin, 0.5);
  assert.is(features.retrieval, 0.4);
  assert.is(features.agreement, 0.5);
  assert.ok(features.entropy > 0.9 && features.entropy <= 1);
  const alone = { margin: 10, retrieval: 0.4, entropy: 0, agreement: 1, workflowId: "flow.a" };
  assert.equal(requestFeatures(candidates.slice(0, 1), [2]), alone);
  assert.equal(requestFeatures([], []), { margin: 0, retrieval: 0, entropy: 0, agreement: 0 });
});

test("entropy lies in [0, 1] for any logits", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -500, max: 500, noNaN: true }), { maxLength: 6 }), (logits) => {
      const candidates = logits.map((_, i) => candidate(`flow.c${i}`, 0));
      const { entropy } = requestFeatures(candidates, logits);
      assert.ok(entropy >= 0 && entropy <= 1 + 1e-12);
    }),
  );
});
