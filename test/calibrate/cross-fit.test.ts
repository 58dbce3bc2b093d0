/** TUNE and CERTIFY learned from and tested together, and fixed-catalog claims for a declared mix. */
import type { WorkflowId } from "../../src/documents/primitives.js";
import { crossFit, type CrossFitOptions, claimRows } from "../../calibrate/cross-fit.js";
import { fitCalibration, learn } from "../../calibrate/fit-calibration.js";
import type { FitInput } from "../../calibrate/fit-input.js";
import { type Calibration, CalibrationSchema } from "../../src/documents/calibration.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { decide } from "../../src/router/policy/decide.js";
import { readCalibrationDocument } from "../../src/router/policy/read-calibration.js";
import { assert, test, throws } from "../support/test.js";
import { candidate, digests, syntheticRecords, withVerifierFeatures } from "./synthetic-records.js";

const records = syntheticRecords({
  seed: 3,
  folds: ["tune", "certify"],
  workflows: 120,
  requestsPerWorkflow: 12,
  outOfScopeGroups: 200,
  requestsPerGroup: 1,
  candidates: 2,
  difficulty: 0.1,
  tiers: ["low"],
  overconfidence: 3,
});
const input: FitInput = {
  records,
  target_risk: 0.15,
  delta: 0.05,
  out_of_scope_share: 0.2,
  claim: "fixed-catalog",
  digests,
  version: "cross-fit",
};
const overall = (wire: Calibration) => wire.claims[0] as Calibration["claims"][number];
const routed = (wire: Calibration): number => (overall(wire).certified ? overall(wire).routed : 0);
const options = { parts: 5, outOfScopeShare: 0.2, family: undefined } as const;

/** A cross-fit with the rows of its tests, about new workflows. */
function crossFitRows(of: typeof records, chosen: CrossFitOptions) {
  const fitted = crossFit(of, chosen);
  return { ...fitted, rows: claimRows(fitted, { certified_workflows: null }) };
}

test("claims about both populations come from one set of calibrators, each as it comes from a fit of its own", () => {
  for (const choices of [
    { ...input, calibrator: "platt" },
    { ...input, cross_fit: 1 },
  ] as const) {
    const learned = learn(choices);
    for (const claim of ["fixed-catalog", "new-workflows"] as const) {
      const shared = fitCalibration({ ...choices, claim }, learned);
      assert.is(canonicalJson(shared), canonicalJson(fitCalibration({ ...choices, claim })));
    }
  }
});

test("a fixed-catalog claim for a declared mix says the mix", () => {
  const wire = fitCalibration({ ...input, cross_fit: 1 });
  checkSchema(CalibrationSchema, JSON.parse(canonicalJson(wire)), "calibration");
  assert.is(wire.method, "fixed-sequence-weighted-families");
  assert.match(overall(wire).promise, /for traffic in which at most 20% fits no workflow/);
  assert.ok(routed(wire) > 0);
  assert.ok((overall(wire).upper_bound ?? 1) <= 0.15);
});

test("a cross-fit tests every request of both folds, and the file says so", () => {
  const wire = fitCalibration({ ...input, cross_fit: 5 });
  assert.equal(wire.cross_fit, { parts: 5, by: "workflow" });
  const alone = fitCalibration({ ...input, cross_fit: 1 });
  assert.is(alone.cross_fit, null);
  assert.ok(overall(wire).requests > 1.9 * overall(alone).requests);
  assert.ok(routed(wire) > routed(alone));
});

test("eight parts are the default, for new workflows too", () => {
  const { out_of_scope_share: _, ...plain } = input;
  const wire = fitCalibration({ ...plain, claim: "new-workflows", calibrator: "platt" });
  assert.equal(wire.cross_fit, { parts: 8, by: "workflow" });
  assert.is(overall(wire).requests, records.length);
  assert.ok(overall(wire).certified);
});

test("no request is tested with a calibrator that its own label had a part in", () => {
  const [part] = [...new Set(records.map((record) => record.cluster))];
  const turned = records.map((record) =>
    record.cluster === part ? { ...record, workflow_id: "flow.none" as WorkflowId } : record,
  );
  const own = (rows: typeof records) =>
    crossFitRows(rows, { ...options, family: "platt" }).rows.filter((row) => row.cluster === part);
  const confidences = (rows: typeof records) => own(rows).map((row) => row.confidence);
  assert.ok(own(records).length > 0);
  assert.equal(confidences(turned), confidences(records));
});

test("a family that is chosen from the same labels is chosen without the tested part too", () => {
  const few = records.filter((_, i) => i % 6 === 0);
  const [part] = few.map((record) => record.cluster);
  const turned = few.map((record) =>
    record.cluster === part ? { ...record, workflow_id: "flow.none" as WorkflowId } : record,
  );
  const confidences = (rows: typeof records) =>
    crossFitRows(rows, options)
      .rows.filter((row) => row.cluster === part)
      .map((row) => row.confidence);
  assert.ok(confidences(few).length > 0);
  assert.equal(confidences(turned), confidences(few));
});

test("shifts for workflows are learned from requests of every workflow, none of them the tested one", () => {
  const evident = withVerifierFeatures(records, 4);
  const family = { ...options, family: "catalog-features" } as const;
  const { calibrator, rows } = crossFitRows(evident, family);
  assert.ok(calibrator.family === "catalog-features" && calibrator.workflows.length > 100);
  assert.is(rows.length, crossFitRows(evident, { ...family, family: "identity" }).rows.length);

  const tested = evident.findIndex(({ workflow_id: workflowId }) => workflowId === "flow.tune0");
  const turned = evident.map((record, i) =>
    i === tested ? { ...record, workflow_id: "flow.none" as WorkflowId } : record,
  );
  const own = (of: typeof records) => {
    const row = of[tested];
    return crossFitRows(of, family)
      .rows.filter(({ cluster }) => cluster === row?.cluster)
      .map((one) => one.confidence);
  };
  const [before, after] = [own(evident), own(turned)];
  assert.is(before.filter((confidence, i) => confidence === after[i]).length >= 1, true);
  assert.ok(before.some((confidence, i) => confidence !== after[i]));

  const wire = fitCalibration({ ...input, records: evident, cross_fit: 5, calibrator: "catalog-features" });
  checkSchema(CalibrationSchema, JSON.parse(canonicalJson(wire)), "calibration");
  assert.equal(wire.cross_fit, { parts: 5, by: "request" });
});

test("shifts for workflows are refused without a cross-fit: no fold would know the workflows of another", () => {
  const records = withVerifierFeatures(input.records, 4);
  const error = throws(
    () => fitCalibration({ ...input, records, cross_fit: 1, calibrator: "catalog-features" }),
    "CALIBRATION_INVALID",
  );
  assert.match(error.hint ?? "", /--claim fixed-catalog/);
});

test("a cross-fit is a count of parts", () => {
  throws(() => fitCalibration({ ...input, cross_fit: 0 }), "CALIBRATION_INVALID");
  throws(() => fitCalibration({ ...input, cross_fit: 2.5 }), "CALIBRATION_INVALID");
});

test("under a claim for this catalog a workflow that was not tested is declined, and the file names the tested ones", () => {
  const wire = fitCalibration({ ...input, calibrator: "platt" });
  const tested = new Set(records.flatMap(({ workflow_id: workflowId }) => workflowId ?? []));
  assert.equal(wire.certified_workflows, [...tested].sort());
  const calibration = readCalibrationDocument(JSON.parse(canonicalJson(wire)), "calibration");
  const sure = (workflowId: string) => decide({ candidates: [candidate(workflowId, 20)] }, calibration).reason_code;
  assert.is(sure("flow.tune0"), "ACCEPTED_LOW_RISK");
  assert.is(sure("flow.other0"), "WORKFLOW_NOT_CERTIFIED");
  assert.is(fitCalibration({ ...input, claim: "new-workflows", calibrator: "platt" }).certified_workflows, null);
});

test("folds may share workflows under a claim for this catalog, and under no other", () => {
  const shared = records.map((record, i) => ({
    ...record,
    fold: i % 2 === 0 ? ("tune" as const) : ("certify" as const),
  }));
  assert.ok(overall(fitCalibration({ ...input, records: shared, calibrator: "platt" })).certified);
  throws(() => fitCalibration({ ...input, records: shared, claim: "new-workflows" }), "SPLIT_INVALID");
});
