import { certifyClaims, statedClaims } from "../../calibrate/certify-claims.js";
import { procedureOf } from "../../calibrate/procedure.js";
import { chooseThresholdSteps } from "../../calibrate/choose-threshold-steps.js";
import { type RiskTier, riskTiers } from "../../src/documents/choices.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, test } from "../support/test.js";

const chosen = { target_risk: 0.1, delta: 0.05, looser_targets: [] };
const certification = procedureOf(chosen);

/** 80 workflows of each tier with 10 requests; errors fall with the confidence, and are as frequent as the tier says. */
function requestsOf(frequency: Readonly<Record<RiskTier, number>>) {
  const random = seededRandom(5);
  const rows = riskTiers.flatMap((tier) =>
    Array.from({ length: 800 }, (_, i) => {
      const confidence = Math.round(1e6 * random.uniform()) / 1e6;
      const error = random.uniform() < frequency[tier] * (1 - confidence);
      return { tier, confidence, error, outOfScope: false, cluster: `${tier}:${i % 80}` };
    }),
  );
  const inScope = new Map([...new Set(rows.map((row) => row.cluster))].map((cluster) => [cluster, 10] as const));
  return { rows, requests: { inScope, outOfScope: new Map<string, number>() } };
}

const even = requestsOf({ low: 0.5, medium: 0.5, high: 0.5, critical: 0.5 });
const hardCritical = requestsOf({ low: 0.3, medium: 0.3, high: 0.3, critical: 4 });

test("the overall claim alone has all of delta and every tier", () => {
  assert.equal(statedClaims(certification), [
    { scope: "overall", tiers: [...riskTiers], test: { target: 0.1, delta: 0.05 } },
  ]);
});

test("tiers with separate claims share half of delta and leave half to the overall claim", () => {
  assert.equal(statedClaims(procedureOf({ ...chosen, required_tiers: { high: 0.08, critical: 0.05 } })), [
    { scope: "overall", tiers: ["low", "medium"], test: { target: 0.1, delta: 0.025 } },
    { scope: "high", tiers: ["high"], test: { target: 0.08, delta: 0.0125 } },
    { scope: "critical", tiers: ["critical"], test: { target: 0.05, delta: 0.0125 } },
  ]);
});

test("the level of a claim that cannot start goes to the others, before a label is read", () => {
  const fewCritical = even.rows.filter(({ tier, cluster }) => tier !== "critical" || Number(cluster.split(":")[1]) < 5);
  const required = procedureOf({ ...chosen, required_tiers: { high: 0.1, critical: 0.05 } });
  const levels = (rows: typeof even.rows) =>
    certifyClaims(required, { ...even, rows }).map(({ scope, test: { delta }, tested }) => [
      scope,
      delta,
      tested.start !== null,
    ]);
  const expected = [
    ["overall", 0.025, true],
    ["high", 0.025, true],
    ["critical", 0.0125, false],
  ];
  assert.equal(levels(fewCritical), expected);
  assert.equal(levels(fewCritical.map((row) => ({ ...row, error: !row.error }))), expected, "whatever the labels say");
});

test("where only one claim can start, it has all of delta", () => {
  const fewCritical = even.rows.filter(({ tier, cluster }) => tier !== "critical" || Number(cluster.split(":")[1]) < 5);
  const required = procedureOf({ ...chosen, required_tiers: { critical: 0.05 } });
  const [overall] = certifyClaims(required, { ...even, rows: fewCritical });
  assert.is(overall?.test.delta, 0.05);
  const alone = { ...even, rows: fewCritical.filter(({ tier }) => tier !== "critical") };
  assert.equal(
    overall?.tested.certified.map(({ confidence }) => confidence).length,
    certifyClaims(required, alone)[0]?.tested.certified.length,
  );
});

test("all tiers of the overall claim ship one threshold", () => {
  const [choice] = chooseThresholdSteps(certifyClaims(certification, even), "new-workflows");
  assert.equal(choice?.claim.tiers, [...riskTiers]);
  assert.ok((choice?.thresholdStep?.upper_bound ?? 1) <= 0.1);
});

test("a tier that must hold by itself abstains until its claim certifies, and the others ship without it", () => {
  const required = procedureOf({ ...chosen, required_tiers: { critical: 0.05 } });
  const [overall, critical] = chooseThresholdSteps(certifyClaims(required, hardCritical), "new-workflows");
  assert.ok(overall?.thresholdStep !== null);
  assert.is(critical?.thresholdStep, null);
  assert.is(critical?.reason, "RISK_NOT_CERTIFIED");
});

test("where the tier certifies, its threshold is a certified step that is not below the others", () => {
  const easyCritical = requestsOf({ low: 0.5, medium: 0.5, high: 0.5, critical: 0.1 });
  const required = procedureOf({ ...chosen, required_tiers: { critical: 0.08 } });
  const claims = certifyClaims(required, easyCritical);
  const [overall, critical] = chooseThresholdSteps(claims, "new-workflows");
  assert.ok(overall?.thresholdStep !== null && critical?.thresholdStep !== null);
  assert.ok((critical?.thresholdStep?.confidence ?? 0) >= (overall?.thresholdStep?.confidence ?? 1));
  assert.ok(claims[1]?.tested.certified.some((step) => step === critical?.thresholdStep));
});

test("a lower tier with a separate claim never has a higher threshold than the tiers above it", () => {
  const hardLow = requestsOf({ low: 0.6, medium: 0.2, high: 0.2, critical: 0.2 });
  const choices = chooseThresholdSteps(
    certifyClaims(procedureOf({ ...chosen, required_tiers: { low: 0.1 } }), hardLow),
    "new-workflows",
  );
  const [overall, low] = choices.map(({ thresholdStep }) => thresholdStep);
  assert.ok(overall !== undefined && overall !== null);
  assert.ok(low === undefined || low === null || low.confidence <= overall.confidence);
});

test("too few workflows are named as the reason, not too few requests", () => {
  const rows = even.rows.map((row) => ({ ...row, error: false, cluster: `w${row.cluster.length % 3}` }));
  const [choice] = chooseThresholdSteps(certifyClaims(certification, { ...even, rows }), "new-workflows");
  assert.is(choice?.reason, "TOO_FEW_WORKFLOWS");
});
