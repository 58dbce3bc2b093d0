/** Claims, mixes and costs of a whole calibration. */
import { describeCalibration } from "../../reports/text/calibration-text.js";
import { fitCalibration } from "../../calibrate/fit-calibration.js";
import type { FitInput } from "../../calibrate/fit-input.js";
import { type Calibration, CalibrationSchema, statementOf } from "../../src/documents/calibration.js";
import { claimKinds } from "../../src/documents/choices.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { minimumSampleSize } from "../../calibrate/stats/binomial-test.js";
import { formatCount } from "../../src/documents/number-text.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { assert, test } from "../support/test.js";
import { digests, syntheticRecords } from "./synthetic-records.js";

const input: FitInput = {
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
  target_risk: 0.15,
  delta: 0.05,
  calibrator: "platt",
  digests,
  version: "claims",
};
const fits = new Map<string, Calibration>();
/** The calibration of the input with other options, fitted once for all tests. */
function fitted(more: Partial<FitInput> = {}): Calibration {
  const key = JSON.stringify(more);
  const wire = fits.get(key) ?? fitCalibration({ ...input, ...more });
  fits.set(key, wire);
  return wire;
}

const overall = (wire: Calibration) => wire.claims[0] as Calibration["claims"][number];
const routedBy = (wire: Calibration) => (overall(wire).certified ? overall(wire).routed : 0);

const sentences = {
  "new-workflows":
    /^When Sluice routes a request, at most 15% of routes go to the wrong workflow, for traffic in which at most [\d.]+% fits no workflow \(95% confidence\)\. Measured on [\d,]+ workflows and out-of-scope groups it had never seen: [\d,]+ wrong of [\d,]+ routed \(\d+\.\d%\)\. Requests for the same workflow resemble each other, so these count as [\d,]+ independent requests\.$/,
  "fixed-catalog":
    /^When Sluice routes a request with this catalog, at most 15% .* \(95% confidence\)\. Measured on new requests for 600 workflows of the catalog: .* No text is routed to any other workflow\.$/,
} as const;

for (const claim of claimKinds) {
  test(`${claim}: the document is valid, certifies, and says in one sentence what is claimed`, () => {
    const wire = fitted({ claim });
    checkSchema(CalibrationSchema, JSON.parse(canonicalJson(wire)), "calibration");
    const stated = overall(wire);
    assert.ok(stated.certified, statementOf(stated));
    assert.match(statementOf(stated), sentences[claim]);
    assert.ok((stated.upper_bound ?? 1) <= 0.15);
    const printed = describeCalibration(wire).join("\n");
    assert.is(printed.split(statementOf(stated)).length, 2, "printed once");
  });
}

test("no printed limit contradicts the claim: traffic is estimated, and says so", () => {
  const printed = describeCalibration(fitted()).join("\n");
  assert.match(printed, /Estimate for traffic as labelled:/);
  assert.is(printed.split("upper limit").length, 2);
  assert.not.match(printed, /finite-sample proof/);
});

test("a tier that must hold by itself has its own sentence, and the overall sentence names the others", () => {
  const wire = fitted({ required_tiers: { critical: 0.15 } });
  assert.equal(
    wire.claims.map(({ scope, delta }) => [scope, delta]),
    [
      ["overall", 0.025],
      ["critical", 0.025],
    ],
  );
  assert.match(statementOf(overall(wire)), /in tiers low, medium and high, at most 15%.*97\.5% confidence/);
  assert.match(wire.claims[1]?.promise ?? "", /in tier critical/);
  assert.is(wire.tiers.critical.target_risk, 0.15);
  assert.is(wire.tiers.low.target_risk, null);
});

test("a sentence names only tiers that have workflows", () => {
  const records = input.records.map((record) => ({
    ...record,
    candidates: record.candidates.map((one) => ({
      ...one,
      risk_tier: one.risk_tier === "critical" ? ("high" as const) : ("medium" as const),
    })),
  }));
  const wire = fitCalibration({ ...input, records, claim: "fixed-catalog", required_tiers: { high: 0.15 } });
  assert.match(statementOf(overall(wire)), /with this catalog in tier medium, at most/);
  assert.equal(overall(wire).tiers, ["low", "medium", "critical"]);
});

test("where every text is used twice, the sentence says what is left out of the examples", () => {
  const sentence = statementOf(overall(fitted({ claim: "fixed-catalog", left_out: true, attempt: 3 })));
  assert.match(
    sentence,
    /\(95% confidence; this is the 3rd calibration on these labels, and the 95% covers all 3 together\)\. Measured on labelled requests for 600 workflows, each tested with its near-copies left out of the examples: [\d,]+ wrong/,
  );
});

test("what a tier without a claim needs follows from the confidence of its own test, which is printed", () => {
  const wire = fitted({ claim: "fixed-catalog", attempt: 2, required_tiers: { critical: 0.00001 } });
  const [, own] = wire.claims;
  assert.is(own?.reason, "TOO_FEW_ROUTED");
  const [, confidence, needed, routed] =
    /^No text is routed in tier critical: a target of 0\.001% at ([\d.]+)% confidence in this test \(so that all tests on these labels together have 95%\) needs ([\d,]+) independent routed requests, all of them right\. The ([\d,]+) that can be routed count as at most [\d,]+ independent requests\.$/.exec(
      own === undefined ? "" : statementOf(own),
    ) ?? [];
  assert.ok(Math.abs(Number(confidence) - 100 * (1 - (own?.delta ?? 0))) <= 0.01);
  const least = minimumSampleSize(0.00001, own?.delta ?? 0, 0);
  assert.equal([needed, routed], [formatCount(least), formatCount(own?.routed ?? -1)]);
});

test("too few workflows are reported in numbers", () => {
  const stated = overall(fitted({ target_risk: 0.002, start_errors: [0], looser_targets: [] }));
  assert.is(stated.reason, "TOO_FEW_WORKFLOWS");
  assert.match(statementOf(stated), /needs 1,497 workflows with a routed request, and there are \d+/);
});

test("a declared share raises the expected rate of wrong routes and never loosens a threshold", () => {
  const more = fitted({ out_of_scope_share: 0.4 });
  const { expected } = more.traffic;
  const row = more.traffic.sensitivity.find((point) => point.out_of_scope_share === 0.4);
  assert.equal(expected, row);
  assert.ok((expected.false_route_rate ?? 0) <= (expected.upper_bound ?? 0));
  assert.ok(routedBy(more) <= routedBy(fitted()));
});
