/** Repeated calibrations of a world whose true risk is known: the share of broken claims against delta. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fixedSequence } from "../../calibrate/fixed-sequence.js";
import { fullCoverageIcc } from "../../calibrate/intra-cluster-correlation.js";
import { pathEvidence } from "../../calibrate/point-evidence.js";
import { betaQuantile } from "../../src/stats/distributions.js";
import { type SeededRandom, seededRandom } from "../../src/stats/seeded-random.js";

const test = suite("calibrate/simulation");

const riskTest = { target: 0.1, delta: 0.05 };
const repetitions = 150;
const allowed = riskTest.delta + 3 * Math.sqrt((riskTest.delta * (1 - riskTest.delta)) / repetitions);
/** Scores are drawn from 1,000 equally likely values of Beta(3, 1.2). */
const scores = Array.from({ length: 1000 }, (_, i) => betaQuantile((i + 0.5) / 1000, 3, 1.2));
const path = Array.from({ length: 33 }, (_, i) => ({ confidence: (99 - 3 * i) / 100, margin: 0 }));

interface ErrorWorld {
  readonly workflows: number;
  readonly requestsPerWorkflow: number;
  readonly errorChance: (score: number) => number;
}
const good = (score: number) => 0.6 * (1 - score) ** 1.2;
const flat = () => 0.12;

/** Each workflow multiplies its error chances by an exponential variable of mean 1. */
function draw(random: SeededRandom, world: ErrorWorld) {
  const rows = Array.from({ length: world.workflows }, (_, w) => {
    const factor = -Math.log(1 - random.uniform());
    return Array.from({ length: world.requestsPerWorkflow }, () => {
      const confidence = scores[random.integer(0, scores.length - 1)] ?? 0;
      const error = random.uniform() < Math.min(1, factor * world.errorChance(confidence));
      return { confidence, margin: 1, error, outOfScope: false, cluster: `w${w}` };
    });
  }).flat();
  return { rows, icc: fullCoverageIcc(rows) };
}

/** Expected risk above a threshold over new workflows: E min(1, f q) = q (1 - exp(-1 / q)) for exponential f of mean 1. */
function trueRisk(world: ErrorWorld, threshold: number): number {
  const accepted = scores.filter((score) => score >= threshold).map(world.errorChance);
  return accepted.reduce((sum, q) => sum + (q === 0 ? 0 : q * (1 - Math.exp(-1 / q))), 0) / accepted.length;
}

/** The same rows as if every request were its own workflow. */
function asIndependent({ rows }: ReturnType<typeof draw>): ReturnType<typeof draw> {
  return { rows: rows.map((row, i) => ({ ...row, cluster: `row${i}` })), icc: 0 };
}

function simulate(
  world: ErrorWorld,
  view = (fold: ReturnType<typeof draw>) => fold,
): { readonly violations: number; readonly certified: number } {
  const random = seededRandom(47);
  let [violations, certified] = [0, 0];
  for (let i = 0; i < repetitions; i += 1) {
    const evidence = pathEvidence(path, view(draw(random, world)), view(draw(random, world)));
    const shipped = fixedSequence(evidence, riskTest).certified.at(-1);
    if (shipped === undefined) continue;
    certified += 1;
    if (trueRisk(world, shipped.confidence) > riskTest.target) violations += 1;
  }
  return { violations: violations / repetitions, certified: certified / repetitions };
}

const clusteredWorld = { workflows: 60, requestsPerWorkflow: 20, errorChance: good };

test("claims about clustered requests are broken no more often than delta, and most runs certify", () => {
  const { violations, certified } = simulate(clusteredWorld);
  assert.ok(violations <= allowed, `violations ${violations}`);
  assert.ok(certified > 0.9, `certified ${certified}`);
});

test("the same claims are broken too often when the workflows are ignored", () => {
  const { violations } = simulate(clusteredWorld, asIndependent);
  assert.ok(violations > allowed, `violations ${violations}`);
});

test("a world whose risk is above the target everywhere is almost never certified", () => {
  const { violations } = simulate({ workflows: 40, requestsPerWorkflow: 15, errorChance: flat });
  assert.ok(violations <= allowed, `violations ${violations}`);
});

test.run();
