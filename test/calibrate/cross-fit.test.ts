/** Fixed-catalog claims for a declared mix, and TUNE and CERTIFY learned from and tested together. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { crossFit } from "../../calibrate/cross-fit.js";
import { fitCalibration } from "../../calibrate/fit-calibration.js";
import type { FitCalibrationInput } from "../../calibrate/fit-input.js";
import { type CalibrationWire, CalibrationSchema } from "../../src/domain/calibration.js";
import { checkSchema } from "../../src/domain/check-schema.js";
import { canonicalJson } from "../../src/digest/canonical-json.js";
import { throws } from "../support/rejects.js";
import { digests, syntheticRecords, withVerifierEvidence } from "./synthetic-records.js";

const test = suite("calibrate/cross-fit");

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
const input: FitCalibrationInput = {
  records,
  targets: { low: 0.15, medium: 0.15, high: 0.15, critical: 0.15 },
  delta: 0.05,
  outOfScopeShare: 0.2,
  claim: "fixed-catalog",
  digests,
  version: "cross-fit",
};
const routed = (wire: CalibrationWire): number => (wire.tiers.low.confidence === null ? 0 : wire.tiers.low.routed);

test("a fixed-catalog claim for a declared mix is tested exactly and says the mix", () => {
  const wire = fitCalibration(input);
  checkSchema(CalibrationSchema, JSON.parse(canonicalJson(wire)), "calibration");
  assert.is(wire.method, "fixed-sequence-exact-mix");
  assert.match(wire.tiers.low.claim, /from a mix of which 20\.00? % is out of scope \(.* re-weighted\)/);
  assert.ok(routed(wire) > 0);
  assert.ok((wire.tiers.low.upper_bound ?? 1) <= 0.15);
});

test("a cross-fit tests every request of both folds, and the file says so", () => {
  const wire = fitCalibration({ ...input, crossFit: 5 });
  assert.is(wire.tiers.low.certify_requests, records.length);
  assert.ok(routed(wire) > routed(fitCalibration(input)));
  assert.ok(wire.warnings.some((warning) => /^Cross-fit: .* in 5 parts by workflow/.test(warning)));
});

test("no request is tested with a calibrator that its own label had a part in", () => {
  const [part, ...rest] = [...new Set(records.map((record) => record.cluster))];
  const turned = records.map((record) => (record.cluster === part ? { ...record, workflowId: "flow.none" } : record));
  const own = (rows: typeof records) =>
    crossFit(rows, { parts: rest.length + 1, outOfScopeShare: 0.2 }).certify.filter((row) => row.cluster === part);
  const confidences = (rows: typeof records) => own(rows).map((row) => row.confidence);
  assert.ok(own(records).length > 0);
  assert.equal(confidences(turned), confidences(records));
});

test("shifts for workflows are learned from requests of every workflow, none of them the tested one", () => {
  const evident = withVerifierEvidence(records, 4);
  const family = { family: "catalog-evidence", parts: 5, outOfScopeShare: 0.2 } as const;
  const { calibrator, certify } = crossFit(evident, family);
  assert.ok(calibrator.family === "catalog-evidence" && calibrator.workflows.length > 100);
  assert.is(certify.length, crossFit(evident, { ...family, family: "identity" }).certify.length);

  const tested = evident.findIndex(({ workflowId }) => workflowId === "flow.tune0");
  const turned = evident.map((record, i) => (i === tested ? { ...record, workflowId: "flow.none" } : record));
  const own = (rows: typeof records) => {
    const row = rows[tested];
    return crossFit(rows, family)
      .certify.filter(({ cluster }) => cluster === row?.cluster)
      .map((one) => one.confidence);
  };
  const [before, after] = [own(evident), own(turned)];
  assert.is(before.filter((confidence, i) => confidence === after[i]).length >= 1, true);
  assert.ok(before.some((confidence, i) => confidence !== after[i]));

  const wire = fitCalibration({ ...input, records: evident, crossFit: 5, calibrator: "catalog-evidence" });
  checkSchema(CalibrationSchema, JSON.parse(canonicalJson(wire)), "calibration");
  assert.ok(wire.warnings.some((warning) => /^Cross-fit: .* in 5 parts by request/.test(warning)));
});

test("shifts for workflows are refused without a cross-fit: no fold would know the workflows of another", () => {
  const records = withVerifierEvidence(input.records, 4);
  const error = throws(
    () => fitCalibration({ ...input, records, calibrator: "catalog-evidence" }),
    "CALIBRATION_INVALID",
  );
  assert.match(error.hint ?? "", /--cross-fit 5/);
});

test("the order of the thresholds cannot see a label", () => {
  assert.ok(crossFit(records, { parts: 5, outOfScopeShare: 0.2 }).tune.every((row) => !row.error));
});

test("a cross-fit needs two parts and the claim it is true for", () => {
  throws(() => fitCalibration({ ...input, crossFit: 1 }), "CALIBRATION_INVALID");
  throws(() => fitCalibration({ ...input, claim: "new-workflows-approximate", crossFit: 5 }), "CALIBRATION_INVALID");
});

test.run();
