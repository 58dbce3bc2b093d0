/** Claims, procedures, mixes and costs of a whole calibration. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describeCalibration } from "../../calibrate/describe-calibration.js";
import { fitCalibration } from "../../calibrate/fit-calibration.js";
import type { FitCalibrationInput } from "../../calibrate/fit-input.js";
import { type CalibrationWire, CalibrationSchema, claimKinds, procedures } from "../../src/domain/calibration.js";
import { toCamel } from "../../src/domain/camel.js";
import { riskTiers } from "../../src/domain/catalog.js";
import { checkSchema } from "../../src/domain/check-schema.js";
import { canonicalJson } from "../../src/digest/canonical-json.js";
import { digests, syntheticRecords } from "./synthetic-records.js";

const test = suite("calibrate/claims");

const input: FitCalibrationInput = {
  records: syntheticRecords({
    seed: 6,
    folds: ["tune", "certify"],
    workflows: 300,
    requestsPerWorkflow: 10,
    outOfScopeGroups: 60,
    requestsPerGroup: 5,
    candidates: 2,
    difficulty: 0.1,
  }),
  targets: { low: 0.15, medium: 0.15, high: 0.15, critical: 0.15 },
  delta: 0.05,
  digests,
  version: "claims",
};
const shipped = (wire: CalibrationWire) => riskTiers.filter((tier) => wire.tiers[tier].confidence !== null);
const routedBy = (wire: CalibrationWire) =>
  shipped(wire).reduce((sum, tier) => sum + (wire.tiers[tier].routed ?? 0), 0);

const sentences = {
  "fixed-catalog": /says nothing about workflows that were not in the certification data/,
  "new-workflows-approximate": /is not a finite-sample proof/,
  "new-workflows": /Every workflow or group with a routed request counts once/,
  "expected-joint-risk": /This is an average, not a statement about this particular file/,
} as const;

for (const claim of claimKinds) {
  test(`${claim}: the document is valid, certifies, and says in words what is claimed`, () => {
    const wire = fitCalibration({ ...input, claim });
    checkSchema(CalibrationSchema, JSON.parse(canonicalJson(wire)), "calibration");
    assert.is(wire.claim, claim);
    assert.ok(shipped(wire).length > 0, "no tier is certified");
    assert.match(describeCalibration(toCamel<CalibrationWire>(wire)).join("\n"), sentences[claim]);
    for (const tier of shipped(wire)) assert.ok((wire.tiers[tier].upper_bound ?? 1) <= wire.tiers[tier].target_risk);
  });
}

test("a proof for new workflows routes no more than the approximation, and that no more than a fixed catalog", () => {
  const [strict, approximate, fixed] = (["new-workflows", "new-workflows-approximate", "fixed-catalog"] as const).map(
    (claim) => routedBy(fitCalibration({ ...input, claim })),
  );
  assert.ok((strict ?? 0) <= (approximate ?? 0) && (approximate ?? 0) <= (fixed ?? 0));
});

for (const procedure of procedures) {
  test(`${procedure}: thresholds are certified points and never fall from tier to tier`, () => {
    const wire = fitCalibration({ ...input, procedure });
    let floor = 0;
    for (const tier of shipped(wire)) {
      const { confidence, margin, trace } = wire.tiers[tier];
      assert.ok(trace.some((step) => step.passed && step.confidence === confidence && step.margin === margin));
      assert.ok((confidence ?? 0) >= floor);
      floor = confidence ?? 0;
    }
    assert.is(wire.method, `${procedure}-exact-binomial-n-eff`);
  });
}

test("too few workflows for a finite-sample claim are said in numbers", () => {
  const few = { ...input, claim: "new-workflows" as const, targets: { ...input.targets, low: 0.01 } };
  const { abstain_reason: reason, message } = fitCalibration(few).tiers.low;
  assert.is(reason, "TOO_FEW_WORKFLOWS");
  assert.match(message, /needs at least \d+ workflows .* Add \d+ workflows/);
});

test("dear wrong routes raise thresholds inside the certified points, and the saving is not less", () => {
  const plain = fitCalibration(input);
  const cheap = fitCalibration({ ...input, costs: { falseRoute: 0, fallback: 1 } });
  const dear = fitCalibration({ ...input, costs: { falseRoute: 60, fallback: 1 } });
  assert.is(plain.operating_cost, null);
  assert.is(routedBy(cheap), routedBy(plain));
  assert.ok(routedBy(dear) < routedBy(plain));
  const cost = dear.operating_cost;
  assert.ok(cost !== null && cost.as_shipped <= cost.at_most_coverage && cost.as_shipped <= cost.without_router);
  assert.match(describeCalibration(toCamel<CalibrationWire>(dear)).join("\n"), /Saving: \d+\.\d\d %/);
});

test("a declared share raises the expected rate of wrong routes and never loosens a threshold", () => {
  const more = fitCalibration({ ...input, outOfScopeShare: 0.4 });
  const { expected } = more.traffic;
  const row = more.traffic.sensitivity.find((point) => point.out_of_scope_share === 0.4);
  assert.equal(expected, row);
  assert.ok((expected.false_route_rate ?? 0) <= (expected.upper_bound ?? 0));
  assert.ok(routedBy(more) <= routedBy(fitCalibration(input)));
});

test("a tier mix of one tier alone shows that tier's traffic", () => {
  const only = (tierMix: FitCalibrationInput["tierMix"]) =>
    fitCalibration({ ...input, ...(tierMix === undefined ? {} : { tierMix }) }).traffic;
  const critical = only({ low: 0, medium: 0, high: 0, critical: 1 });
  assert.equal(critical.tier_mix, { low: 0, medium: 0, high: 0, critical: 1 });
  assert.ok(critical.expected.coverage !== only(undefined).expected.coverage);
});

test.run();
