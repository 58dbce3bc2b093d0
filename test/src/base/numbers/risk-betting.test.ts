import { RiskBetting } from "../../../../src/base/numbers/risk-betting.js";
import { seededRandom } from "../../../../src/base/numbers/seeded-random.js";
import { assert, test } from "../../../support/test.js";

const refutes = 20;

/** Labels until the claim is refuted, read after each; null where it never is. */
function labelsUntilRefuted(limit: number, risk: number, most: number, seed: number): number | null {
  const random = seededRandom(seed);
  const betting = new RiskBetting(limit);
  for (let label = 1; label <= most; label += 1) {
    betting.add(random.uniform() < risk);
    if (betting.against >= refutes) return label;
  }
  return null;
}

test("a claim that holds is refuted in at most 5% of deployments, read after each of 5,000 labels", () => {
  const deployments = 400;
  const alarms = Array.from({ length: deployments }, (_, seed) => labelsUntilRefuted(0.1, 0.1, 5000, seed)).filter(
    (label) => label !== null,
  ).length;
  assert.ok(alarms <= deployments * 0.05 + 3 * Math.sqrt(deployments * 0.05 * 0.95), `${alarms} of ${deployments}`);
});

test("a risk of 10% against a claim of 5% is found within 300 labels in most deployments", () => {
  const found = Array.from({ length: 200 }, (_, seed) => labelsUntilRefuted(0.05, 0.1, 300, seed)).filter(
    (label) => label !== null,
  ).length;
  assert.ok(found >= 140, `${found} of 200`);
  const later = Array.from({ length: 200 }, (_, seed) => labelsUntilRefuted(0.1, 0.2, 150, seed)).filter(
    (label) => label !== null,
  ).length;
  assert.ok(later >= 150, `${later} of 200 at 20% against 10%`);
});

test("evidence for a claim grows while the risk is below its limit, and evidence against it stays", () => {
  const betting = new RiskBetting(0.1);
  for (let label = 0; label < 300; label += 1) betting.add(label % 20 === 0);
  assert.ok(betting.inFavour >= refutes, `${betting.inFavour}`);
  assert.ok(betting.against < refutes);
  assert.equal([betting.labels, betting.wrong], [300, 15]);
  for (let label = 0; label < 50; label += 1) betting.add(true);
  const after = betting.against;
  for (let label = 0; label < 500; label += 1) betting.add(false);
  assert.is(betting.against, after);
});

test("a change to twice the limit after 2,000 good labels is found within 500 further ones in most deployments", () => {
  const delays = Array.from({ length: 100 }, (_, seed) => {
    const random = seededRandom(seed);
    const betting = new RiskBetting(0.05);
    for (let label = 0; label < 2000; label += 1) betting.add(random.uniform() < 0.02);
    for (let label = 1; label <= 2500; label += 1) {
      betting.add(random.uniform() < 0.1);
      if (betting.against >= refutes) return label;
    }
    return Number.POSITIVE_INFINITY;
  }).sort((a, b) => a - b);
  assert.ok((delays[50] ?? Number.POSITIVE_INFINITY) <= 500, `median ${delays[50]}`);
});
