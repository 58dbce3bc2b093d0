/** Repeated certifications of a world in which wrong routes cross the tiers and out-of-scope groups are routed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { certifyTier, type TierFold } from "../../calibrate/certify-tier.js";
import { fixedSequence } from "../../calibrate/fixed-sequence.js";
import { fullCoverageIcc } from "../../calibrate/intra-cluster-correlation.js";
import { pathEvidence } from "../../calibrate/point-evidence.js";
import type { RoutableRow } from "../../calibrate/routable.js";
import { learnThresholdPath } from "../../calibrate/threshold-path.js";
import type { TestStep } from "../../src/domain/calibration.js";
import type { RiskTier } from "../../src/domain/catalog.js";
import { betaQuantile } from "../../src/stats/distributions.js";
import { type SeededRandom, seededRandom } from "../../src/stats/seeded-random.js";

const test = suite("calibrate/certify-tier");

const riskTest = { target: 0.15, delta: 0.05 };
const repetitions = 60;
const allowed = riskTest.delta + 3 * Math.sqrt((riskTest.delta * (1 - riskTest.delta)) / repetitions);
const tiers = ["low", "high"] as const;
const scores = Array.from({ length: 1000 }, (_, i) => betaQuantile((i + 0.5) / 1000, 3, 1.2));

function drawScore(random: SeededRandom): number {
  return scores[random.integer(0, scores.length - 1)] ?? 0;
}

/** Requests of one workflow; half of its wrong routes go to the other tier, where all of its requests are wrong. */
function workflowRows(random: SeededRandom, name: string, own: RiskTier, other: RiskTier): readonly RoutableRow[] {
  const hardness = -Math.log(1 - random.uniform());
  return Array.from({ length: 25 }, () => {
    const confidence = drawScore(random);
    const error = random.uniform() < Math.min(1, hardness * 0.9 * (1 - confidence) ** 1.2);
    const tier = error && random.uniform() < 0.5 ? other : own;
    return { tier, confidence, margin: 1, error, outOfScope: false, cluster: name };
  });
}

/** Requests of one out-of-scope group: all wrong, of one tier, and with scores close to each other. */
function groupRows(random: SeededRandom, name: string): readonly RoutableRow[] {
  const tier = tiers[random.integer(0, 1)] ?? "low";
  const level = 0.8 * drawScore(random);
  return Array.from({ length: 8 }, () => {
    const confidence = level + 0.05 * random.uniform();
    return { tier, confidence, margin: 1, error: true, outOfScope: true, cluster: name };
  });
}

function drawFold(random: SeededRandom, workflows: number): readonly RoutableRow[] {
  const indices = Array.from({ length: workflows }, (_, i) => i);
  return indices.flatMap((i) => [
    ...workflowRows(random, `workflow:${i}`, tiers[i % 2] ?? "low", tiers[(i + 1) % 2] ?? "high"),
    ...(i % 3 === 0 ? groupRows(random, `group:${i}`) : []),
  ]);
}

function lowTierOf(all: readonly RoutableRow[]): TierFold {
  return { tier: all.filter((row) => row.tier === "low"), all };
}

interface Folds {
  readonly tune: TierFold;
  readonly certify: TierFold;
}

const population = lowTierOf(drawFold(seededRandom(11), 1500)).tier;

function trueRisk(threshold: number): number {
  const routed = population.filter((row) => row.confidence >= threshold);
  return routed.filter((row) => row.error).length / routed.length;
}

/** Share of calibrations of the low tier that certify a point whose true risk is too high; mean requests routed. */
function simulate(shippedBy: (folds: Folds) => TestStep | undefined): { violations: number; routed: number } {
  const random = seededRandom(23);
  let [violations, routed] = [0, 0];
  for (let i = 0; i < repetitions; i += 1) {
    const shipped = shippedBy({
      tune: lowTierOf(drawFold(random, 24)),
      certify: lowTierOf(drawFold(random, 48)),
    });
    if (shipped === undefined) continue;
    routed += shipped.routed;
    if (trueRisk(shipped.confidence) > riskTest.target) violations += 1;
  }
  return { violations: violations / repetitions, routed: routed / repetitions };
}

/** What is certified with the correlation inside the tier alone. */
function certifyByOwnCorrelation({ tune, certify }: Folds): TestStep | undefined {
  const evidence = pathEvidence(
    learnThresholdPath(tune.tier),
    { rows: tune.tier, icc: fullCoverageIcc(tune.tier) },
    { rows: certify.tier, icc: fullCoverageIcc(certify.tier) },
  );
  return fixedSequence(evidence, riskTest).certified.at(-1);
}

test("a tier that attracts wrong routes of others and out-of-scope groups keeps its claim", () => {
  const { violations, routed } = simulate((folds) =>
    certifyTier({ ...folds, requests: { inScope: new Map(), outOfScope: new Map() } }, riskTest).outcome.certified.at(
      -1,
    ),
  );
  assert.ok(violations <= allowed, `violations ${violations}`);
  assert.ok(routed > 200, `routed ${routed}`);
});

test("the correlation inside the predicted tier alone would route much less", () => {
  const { routed } = simulate(certifyByOwnCorrelation);
  assert.ok(routed < 180, `routed ${routed}`);
});

test.run();
