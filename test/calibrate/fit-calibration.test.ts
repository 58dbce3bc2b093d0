import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describeCalibration } from "../../calibrate/describe-calibration.js";
import { fitCalibration } from "../../calibrate/fit-calibration.js";
import type { FitCalibrationInput } from "../../calibrate/fit-input.js";
import { type CalibrationWire, CalibrationSchema } from "../../src/domain/calibration.js";
import { toCamel } from "../../src/domain/camel.js";
import { riskTiers } from "../../src/domain/catalog.js";
import { checkSchema } from "../../src/domain/check-schema.js";
import { canonicalJson } from "../../src/digest/canonical-json.js";
import { decide } from "../../src/policy/decide.js";
import { seededRandom } from "../../src/stats/seeded-random.js";
import { throws } from "../support/rejects.js";
import { digests, syntheticRecords, type World } from "./synthetic-records.js";

const test = suite("calibrate/fit-calibration");

const world: World = {
  seed: 1,
  folds: ["tune", "certify"],
  workflows: 80,
  requestsPerWorkflow: 25,
  outOfScopeGroups: 30,
  requestsPerGroup: 8,
  candidates: 3,
  difficulty: 0.25,
  overconfidence: 6,
};
const records = syntheticRecords(world);
const input: FitCalibrationInput = {
  records,
  targets: { low: 0.1, medium: 0.08, high: 0.05, critical: 0.01 },
  delta: 0.05,
  digests,
  version: "2026-01",
};
const fitted = fitCalibration(input);

test("the document has the shape of a calibration and is valid canonical JSON", () => {
  checkSchema(CalibrationSchema, JSON.parse(canonicalJson(fitted)), "calibration");
});

test("easy targets are certified and a hard one abstains with what it would need", () => {
  assert.type(fitted.tiers.low.confidence, "number");
  assert.type(fitted.tiers.medium.confidence, "number");
  assert.is(fitted.tiers.critical.confidence, null);
  assert.is(fitted.tiers.critical.abstain_reason, "TOO_FEW_ROUTED");
  assert.match(
    fitted.tiers.critical.message,
    /needs 636 independent routed requests to allow 1 error \(437 to allow none\)/,
  );
  assert.match(fitted.tiers.critical.message, /from \d+ more workflows/);
  assert.match(fitted.tiers.critical.claim, /^Tier critical is disabled: TOO_FEW_ROUTED\./);
});

test("an overconfident verifier is calibrated on TUNE", () => {
  const tune = records.filter((r) => r.fold === "tune").length;
  assert.is.not(fitted.calibrator.family, "identity");
  assert.is(fitted.calibrator.fitted_requests, tune);
  const lossOf = (family: string) => fitted.calibrator_candidates.find((c) => c.family === family)?.held_out_loss ?? 0;
  assert.ok(lossOf(fitted.calibrator.family) < 0.8 * lossOf("identity"));
});

test("the evidence of a tier is what decide() routes on CERTIFY with the fitted thresholds", () => {
  const calibration = toCamel<CalibrationWire>(fitted);
  const certify = records.filter((r) => r.fold === "certify");
  for (const tier of riskTiers) {
    const decisions = certify.map((r) => ({ r, d: decide(r.candidates, calibration) }));
    const routed = decisions.filter(({ d }) => d.decision === "ROUTE" && d.riskTier === tier);
    if (calibration.tiers[tier].confidence === null) {
      assert.is(routed.length, 0);
      continue;
    }
    assert.is(routed.length, calibration.tiers[tier].routed);
    assert.is(routed.filter(({ r, d }) => d.workflowId !== r.workflowId).length, calibration.tiers[tier].errors);
    assert.is(new Set(routed.map(({ r }) => r.cluster)).size, calibration.tiers[tier].workflows);
  }
});

test("delta is split over the tiers, and the shipped upper limit is within the target", () => {
  for (const tier of riskTiers) {
    const { delta, target_risk: target, upper_bound: upper } = fitted.tiers[tier];
    assert.is(delta, 0.0125);
    if (upper !== null) assert.ok(upper <= target);
  }
});

test("the order of the records changes no byte", () => {
  const shuffled = seededRandom(2).shuffle(records);
  assert.is(canonicalJson(fitCalibration({ ...input, records: shuffled })), canonicalJson(fitted));
});

test("labels of CERTIFY change neither calibrator, floor nor the first tested thresholds", () => {
  const relabelled = records.map((r) => (r.fold === "certify" ? { ...r, workflowId: null } : r));
  const other = fitCalibration({ ...input, records: relabelled });
  assert.equal(other.calibrator, fitted.calibrator);
  assert.is(other.min_retrieval_score, fitted.min_retrieval_score);
  for (const tier of ["low", "medium"] as const) {
    assert.is(other.tiers[tier].trace[0]?.confidence, fitted.tiers[tier].trace[0]?.confidence);
    assert.is(other.tiers[tier].trace[0]?.routed, fitted.tiers[tier].trace[0]?.routed);
    assert.is(other.tiers[tier].abstain_reason, "RISK_NOT_CERTIFIED");
  }
});

test("tiers that TUNE never reaches leave their share of delta to the others", () => {
  const two = fitCalibration({ ...input, records: syntheticRecords({ ...world, tiers: ["low", "high"] }) });
  assert.is(two.tiers.low.delta, 0.025);
  assert.is(two.tiers.medium.delta, 0);
  assert.is(two.tiers.medium.abstain_reason, "NO_ACCEPTED_ROWS");
});

test("weights of the tiers can be chosen", () => {
  const tierWeights = { low: 0.7, medium: 0.1, high: 0.1, critical: 0.1 };
  assert.is(fitCalibration({ ...input, tierWeights }).tiers.low.delta, 0.7 * 0.05);
});

test("nothing to route abstains everywhere and throws nothing", () => {
  const empty = fitCalibration({ ...input, records: [] });
  checkSchema(CalibrationSchema, empty, "calibration");
  for (const tier of riskTiers) {
    assert.is(empty.tiers[tier].confidence, null);
    assert.is(empty.tiers[tier].abstain_reason, "NO_ACCEPTED_ROWS");
    assert.is(empty.tiers[tier].upper_bound, null);
  }
  assert.is(empty.calibrator.family, "identity");
});

const degenerate = [
  { name: "without any error", wrong: false, workflows: 60 },
  { name: "with errors only", wrong: true, workflows: 60 },
  { name: "with one workflow per fold", wrong: false, workflows: 1 },
];
for (const { name, wrong, workflows } of degenerate) {
  test(`a data set ${name} gives a valid document`, () => {
    const easy = { ...world, workflows, difficulty: wrong ? 1e9 : 0, outOfScopeGroups: 0, tiers: ["low"] as const };
    const one = fitCalibration({ ...input, records: syntheticRecords(easy) });
    checkSchema(CalibrationSchema, JSON.parse(canonicalJson(one)), "calibration");
    assert.is(one.tiers.low.confidence === null, wrong || workflows === 1);
  });
}

test("a declared out-of-scope share is what the rates are weighted to", () => {
  const declared = fitCalibration({ ...input, outOfScopeShare: 0.5 });
  assert.is(declared.out_of_scope_share, 0.5);
  assert.is(declared.method, "fixed-sequence-weighted-mix");
  assert.is(declared.traffic.declared, true);
  assert.is(declared.traffic.expected.out_of_scope_share, 0.5);
  for (const tier of riskTiers) {
    const [mixed, plain] = [declared.tiers[tier], fitted.tiers[tier]];
    if (mixed.confidence !== null && plain.confidence !== null) assert.ok(mixed.confidence >= plain.confidence);
  }
});

test("more out-of-scope traffic never makes the expected rate of wrong routes better", () => {
  const rates = fitted.traffic.sensitivity.map((point) => point.false_route_rate ?? Number.NaN);
  assert.is(rates.length, 10);
  for (const [i, rate] of rates.entries()) if (i > 0) assert.ok(rate >= (rates[i - 1] ?? Number.NaN));
});

test("out-of-scope requests without a group are warned about", () => {
  const ungrouped = records.map((r) => (r.workflowId === null ? { ...r, cluster: `row:${r.id}` } : r));
  const { warnings } = fitCalibration({ ...input, records: ungrouped });
  assert.ok(warnings.some((w) => w.startsWith("240 out-of-scope requests of CERTIFY have no group_id")));
});

test("a workflow in two folds is refused", () => {
  const moved = records.map((r, i) => (i === 0 ? { ...r, fold: "certify" as const } : r));
  const error = throws(() => fitCalibration({ ...input, records: moved }), "FOLDS_OVERLAP");
  assert.match(error.message, /workflow:flow\.tune0 is in the folds/);
});

test("one request in a hundred may fail to be scored, more are refused", () => {
  const failing = (share: number) =>
    records.map((r, i) =>
      i < Math.floor(share * records.length) ? { ...r, candidates: [], errorCode: "MODEL_RUN_FAILED" } : r,
    );
  const fit = fitCalibration({ ...input, records: failing(0.01) });
  assert.ok(fit.warnings.some((w) => w.includes("failed to be scored")));
  throws(() => fitCalibration({ ...input, records: failing(0.02) }), "EXAMPLE_ERRORS");
});

const refused: readonly (readonly [string, Partial<FitCalibrationInput>])[] = [
  ["a target of 5 instead of 0.05", { targets: { ...input.targets, low: 5 } }],
  ["a delta of 0", { delta: 0 }],
  ["a delta that is not a number", { delta: Number.NaN }],
  ["weights that sum to 4", { tierWeights: { low: 1, medium: 1, high: 1, critical: 1 } }],
  ["an out-of-scope share of 1", { outOfScopeShare: 1 }],
  ["no start errors", { startErrors: [] }],
  ["a tier mix that sums to 2", { tierMix: { low: 0.5, medium: 0.5, high: 0.5, critical: 0.5 } }],
  ["a negative cost", { costs: { falseRoute: -1, fallback: 0.1 } }],
  ["an average claim with Holm's procedure", { claim: "expected-joint-risk", procedure: "holm" }],
  ["a declared share under a finite-sample claim", { claim: "new-workflows", outOfScopeShare: 0.1 }],
];
for (const [name, change] of refused) {
  test(`${name} is refused`, () => {
    throws(() => fitCalibration({ ...input, ...change }), "CALIBRATION_INVALID");
  });
}

test("a small data set certifies only with a fallback start", () => {
  const tiny = { ...world, workflows: 50, requestsPerWorkflow: 2, difficulty: 0, outOfScopeGroups: 0 };
  const small = syntheticRecords({ ...tiny, tiers: ["low"] });
  const targets = { ...input.targets, low: 0.04 };
  assert.is(fitCalibration({ ...input, targets, records: small }).tiers.low.abstain_reason, "TOO_FEW_ROUTED");
  const fallback = fitCalibration({ ...input, targets, records: small, startErrors: [1, 0] });
  assert.type(fallback.tiers.low.confidence, "number");
});

test("the description names claims, thresholds, evidence and abstaining tiers", () => {
  const text = describeCalibration(toCamel<CalibrationWire>(fitted)).join("\n");
  assert.match(text, /^Calibration 2026-01\n/);
  assert.match(text, /together with probability at least 95\.00 %; each tier was tested at 0\.0125\./);
  assert.match(text, new RegExp(`Tier low routes at confidence ${fitted.tiers.low.confidence} and margin`));
  assert.match(text, /Tier critical abstains \(TOO_FEW_ROUTED\)\./);
  assert.match(text, /not a finite-sample proof/);
});

test("a calibration without a certified tier says that everything is declined", () => {
  const text = describeCalibration(toCamel<CalibrationWire>(fitCalibration({ ...input, records: [] }))).join("\n");
  assert.match(text, /No tier is certified: the router declines every request/);
});

test.run();
