import type { WorkflowId } from "../../src/documents/primitives.js";
import { certifyClaims, refuseRisingRisk } from "../../calibrate/certify-claims.js";
import { chooseThresholdSteps } from "../../calibrate/choose-threshold-steps.js";
import { claimStatement } from "../../calibrate/claim-sentence.js";
import { riskRises, risingRisk } from "../../calibrate/rising-risk.js";
import { assert, test, throws } from "../support/test.js";
import { syntheticWorlds } from "./guarantee/worlds.js";
import { describeCalibration } from "../../reports/text/calibration-text.js";
import { fitCalibration } from "../../calibrate/fit-calibration.js";
import { type FitInput } from "../../calibrate/fit-input.js";
import { procedureOf } from "../../calibrate/procedure.js";
import { type Calibration, CalibrationSchema, statementOf } from "../../src/documents/calibration.js";
import { riskTiers } from "../../src/documents/choices.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { decide } from "../../src/router/policy/decide.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { digests, syntheticRecords, type CliIo } from "./synthetic-records.js";

const world: CliIo = {
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
const input: FitInput = {
  records,
  target_risk: 0.1,
  required_tiers: { critical: 0.01 },
  delta: 0.05,
  cross_fit: 1,
  digests,
  version: "2026-01",
};
const fitted = fitCalibration(input);

test("the document has the shape of a calibration and is valid canonical JSON", () => {
  checkSchema(CalibrationSchema, JSON.parse(canonicalJson(fitted)), "calibration");
});

const [overall, critical] = fitted.claims;

test("the overall target is certified, and a tier with a hard one abstains with what it would need", () => {
  assert.is(overall?.certified, true);
  assert.equal(
    (["low", "medium", "high"] as const).map((tier) => fitted.tiers[tier].confidence),
    [1, 2, 3].map(() => overall?.trace.findLast((step) => step.passed)?.confidence),
  );
  assert.is(fitted.tiers.critical.confidence, null);
  assert.is(critical?.reason, "TOO_FEW_WORKFLOWS");
  assert.match(
    critical === undefined ? "" : statementOf(critical),
    /^No text is routed in tier critical: .* needs 368 workflows/,
  );
});

test("an overconfident verifier is calibrated on TUNE", () => {
  const tune = records.filter((r) => r.fold === "tune").length;
  assert.is.not(fitted.calibrator.family, "identity");
  assert.is(fitted.calibrator.fitted_requests, tune);
  const lossOf = (family: string) => fitted.calibrator_candidates.find((c) => c.family === family)?.held_out_loss ?? 0;
  assert.ok(lossOf(fitted.calibrator.family) < 0.8 * lossOf("identity"));
});

test("the evidence of a tier is what decide() routes on CERTIFY with the fitted thresholds", () => {
  const calibration = fitted;
  const certify = records.filter((r) => r.fold === "certify");
  for (const tier of riskTiers) {
    const decisions = certify.map((r) => ({ r, d: decide(r, calibration) }));
    const routed = decisions.filter(({ d }) => d.decision === "ROUTE" && d.risk_tier === tier);
    if (calibration.tiers[tier].confidence === null) {
      assert.is(routed.length, 0);
      continue;
    }
    assert.is(routed.length, calibration.tiers[tier].routed);
    assert.is(routed.filter(({ r, d }) => d.workflow_id !== r.workflow_id).length, calibration.tiers[tier].errors);
    assert.is(new Set(routed.map(({ r }) => r.cluster)).size, calibration.tiers[tier].workflows);
  }
});

test("the overall claim counts what its tiers route, and its limit is within the target", () => {
  const routed = (["low", "medium", "high"] as const).map((tier) => fitted.tiers[tier].routed);
  assert.is(
    overall?.routed,
    routed.reduce((a, b) => a + b, 0),
  );
  assert.ok((overall?.upper_bound ?? 1) <= 0.1);
});

test("the order of the records changes no byte", () => {
  const shuffled = seededRandom(2).shuffle(records);
  assert.is(canonicalJson(fitCalibration({ ...input, records: shuffled })), canonicalJson(fitted));
});

test("labels of CERTIFY change neither calibrator, floor nor the first tested thresholds", () => {
  const relabelled = records.map((r) =>
    r.fold === "certify" && r.workflow_id !== null ? { ...r, workflow_id: "flow.other" as WorkflowId } : r,
  );
  const other = fitCalibration({ ...input, records: relabelled });
  assert.equal(other.calibrator, fitted.calibrator);
  assert.is(other.min_retrieval_score, fitted.min_retrieval_score);
  assert.equal(
    other.claims.map(({ trace }) => [trace[0]?.confidence, trace[0]?.routed]),
    fitted.claims.map(({ trace }) => [trace[0]?.confidence, trace[0]?.routed]),
  );
  assert.is(other.claims[0]?.reason, "RISK_NOT_CERTIFIED");
});

test("nothing to route abstains everywhere and throws nothing", () => {
  const empty = fitCalibration({ ...input, records: [] });
  checkSchema(CalibrationSchema, empty, "calibration");
  for (const tier of riskTiers) {
    assert.is(empty.tiers[tier].confidence, null);
    assert.is(empty.tiers[tier].abstain_reason, "NO_ACCEPTED_ROWS");
  }
  assert.is(empty.calibrator.family, "identity");
});

const degenerate = [
  { name: "without any error", wrong: false, workflows: 60 },
  { name: "with errors only", wrong: true, workflows: 60 },
  { name: "with one workflow per fold", wrong: false, workflows: 1 },
];
for (const { name, wrong, workflows } of degenerate) {
  test(`a dataset ${name} gives a valid document`, () => {
    const easy = { ...world, workflows, difficulty: wrong ? 1e9 : 0, outOfScopeGroups: 0, tiers: ["low"] as const };
    const one = fitCalibration({ ...input, records: syntheticRecords(easy) });
    checkSchema(CalibrationSchema, JSON.parse(canonicalJson(one)), "calibration");
    assert.is(one.tiers.low.confidence === null, wrong || workflows === 1);
  });
}

test("a declared out-of-scope share is what the rates are weighted to", () => {
  const declared = fitCalibration({ ...input, out_of_scope_share: 0.5 });
  assert.is(declared.out_of_scope_share, 0.5);
  assert.is(declared.method, "fixed-sequence-weighted-mix");
  assert.is(declared.traffic.declared, true);
  assert.is(declared.traffic.expected.out_of_scope_share, 0.5);
  const threshold = (wire: Calibration) => wire.tiers.low.confidence ?? 1;
  assert.ok(threshold(declared) >= threshold(fitted));
});

test("more out-of-scope traffic never makes the expected rate of wrong routes better", () => {
  const rates = fitted.traffic.sensitivity.map((point) => point.false_route_rate ?? Number.NaN);
  assert.is(rates.length, 10);
  for (const [i, rate] of rates.entries()) if (i > 0) assert.ok(rate >= (rates[i - 1] ?? Number.NaN));
});

test("out-of-scope requests without a group are warned about", () => {
  const ungrouped = records.map((r) => (r.workflow_id === null ? { ...r, cluster: `row:${r.id}` } : r));
  const { warnings } = fitCalibration({ ...input, records: ungrouped });
  assert.ok(warnings.some((w) => w.startsWith("240 out-of-scope requests have no group_id")));
});

test("a workflow in two folds is refused", () => {
  const moved = records.map((r, i) => (i === 0 ? { ...r, fold: "certify" as const } : r));
  const error = throws(() => fitCalibration({ ...input, records: moved }), "SPLIT_INVALID");
  assert.match(error.message, /workflow:flow\.tune0 is in the folds/);
});

test("one request in a hundred may fail to be scored, more are refused", () => {
  const failing = (share: number) =>
    records.map((r, i) =>
      i < Math.floor(share * records.length) ? { ...r, candidates: [], error_code: "MODEL_RUN_FAILED" } : r,
    );
  const fit = fitCalibration({ ...input, records: failing(0.01) });
  assert.ok(fit.warnings.some((w) => w.includes("requests failed")));
  throws(() => fitCalibration({ ...input, records: failing(0.02) }), "SCORING_ERRORS");
});

const refused: readonly (readonly [string, Partial<FitInput>])[] = [
  ["a target of 5 instead of 0.05", { target_risk: 5 }],
  ["a tier that may be wrong more often than all together", { required_tiers: { critical: 0.2 } }],
  ["a delta of 0", { delta: 0 }],
  ["a delta that is not a number", { delta: Number.NaN }],
  ["an out-of-scope share of 1", { out_of_scope_share: 1 }],
  ["no start errors", { start_errors: [] }],
  ["a correlation of 2", { start_icc: 2 }],
];
for (const [name, change] of refused) {
  test(`${name} is refused`, () => {
    throws(() => fitCalibration({ ...input, ...change }), "CALIBRATION_INVALID");
  });
}

test("a small dataset falls back to a start with zero errors, and to none where that was excluded", () => {
  const tiny = { ...world, workflows: 60, requestsPerWorkflow: 2, difficulty: 0, outOfScopeGroups: 0 };
  const alone = { ...input, looser_targets: [] };
  const small = {
    ...alone,
    target_risk: 0.06,
    required_tiers: {},
    records: syntheticRecords({ ...tiny, tiers: ["low"] }),
  };
  const [fallback] = fitCalibration(small).claims;
  assert.equal([fallback?.certified, fallback?.start_errors], [true, 0]);
  assert.is(fitCalibration({ ...small, start_errors: [3] }).claims[0]?.reason, "TOO_FEW_ROUTED");
});

test("the description gives each claim once, then its conditions, then each tier", () => {
  const calibration = fitted;
  const text = describeCalibration(calibration).join("\n");
  assert.match(text, /^Calibration 2026-01\n/);
  for (const claim of calibration.claims) assert.is(text.split(statementOf(claim)).length, 2);
  assert.is(text.split(calibration.shortlist?.sentence ?? "none").length, 2);
  assert.match(text, /confidence +95%/); // critical cannot start, so that the overall claim has all of delta
  assert.match(text, /not covered +.*workflows whose risk rises with their scores/);
  assert.match(text, new RegExp(`low +${fitted.tiers.low.confidence} +\\d+ of \\d+`));
  assert.match(text, /critical +abstains: TOO_FEW_WORKFLOWS +at most 1%/);
});

test("where risk rises with the scores of a workflow, nothing about new workflows is certified (finding C10)", () => {
  const rising = syntheticWorlds.find(({ name }) => name === "scores rise with risk");
  const drawn = rising?.draw(seededRandom(3), 150).rows ?? [];
  const certification = procedureOf({ target_risk: 0.1, delta: 0.05, looser_targets: [0.5, 0.3] });
  assert.ok(riskRises(risingRisk(drawn)));
  const requests = { inScope: new Map(drawn.map(({ cluster }) => [cluster, 30])), outOfScope: new Map() };
  const claims = certifyClaims(certification, { rows: drawn, requests });
  assert.ok(claims.some(({ tested }) => tested.certified.length > 0));
  const [choice] = chooseThresholdSteps(refuseRisingRisk(claims), "new-workflows");
  assert.equal([choice?.thresholdStep, choice?.reason], [null, "RISK_RISES_WITH_SCORE"]);
  assert.ok(choice !== undefined);
  const claimed = { workflows: 150, tiers: ["low"] as const, languages: [], outOfScopeShare: 0, narrowed: false };
  const { promise, basis } = claimStatement(choice, certification, claimed);
  assert.is(promise, "No text is routed");
  assert.match(basis, /^routes to workflows with higher scores are wrong more/);
});

test("a share that nobody declared and no request shows is unknown, not 0%", () => {
  const inScope = records.filter(({ workflow_id: workflowId }) => workflowId !== null);
  const text = describeCalibration(fitCalibration({ ...input, records: inScope })).join("\n");
  assert.match(text, /out of scope +unknown: no tested request is out of scope/);
  assert.match(text, /Other traffic: unknown/);
  assert.not.match(text, /nothing is routed\./);
});

test("a calibration without a certified claim says that nothing is routed", () => {
  const text = describeCalibration(fitCalibration({ ...input, records: [] })).join("\n");
  assert.match(text, /No text is routed in tiers low, medium and high: no tested request/);
});
