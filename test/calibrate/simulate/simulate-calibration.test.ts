import { suite } from "uvu";
import * as assert from "uvu/assert";
import { drawFolds, simulatedPopulationOf } from "../../../calibrate/simulate/population.js";
import { type Repetition, simulateCalibration } from "../../../calibrate/simulate/simulate-calibration.js";
import { describeSimulation, summariseSimulation } from "../../../calibrate/simulate/summarise-simulation.js";
import { seededRandom } from "../../../src/stats/seeded-random.js";
import { throws } from "../../support/rejects.js";
import { syntheticRecords } from "../synthetic-records.js";

const test = suite("calibrate/simulate");

const records = syntheticRecords({
  seed: 3,
  folds: ["fit", "tune", "certify", "eval"],
  workflows: 40,
  requestsPerWorkflow: 10,
  outOfScopeGroups: 10,
  requestsPerGroup: 4,
  candidates: 2,
  difficulty: 0.2,
});
const population = simulatedPopulationOf(records);
const choices = { target: 0.15, delta: 0.05, calibrator: "platt" } as const;

test("requests that models learned from are not in the population", () => {
  assert.is(population.records.length, records.length * 0.75);
  assert.not(population.records.some((record) => record.fold === "fit"));
});

test("new folds have as many workflows as the old ones, or a multiple, and share none", () => {
  const clustersOf = (factor: number, fold: string) =>
    new Set(
      drawFolds(population, seededRandom(1), factor)
        .filter((record) => record.fold === fold)
        .map((record) => record.cluster),
    );
  assert.is(clustersOf(1, "certify").size, 50);
  assert.is(clustersOf(2, "certify").size, 100);
  const tune = clustersOf(1, "tune");
  assert.not([...clustersOf(1, "certify")].some((cluster) => tune.has(cluster)));
});

test("a seed gives the same repetition again, and more data certifies more", () => {
  const once = simulateCalibration(population, choices, { seed: 4, factor: 1 });
  assert.equal(simulateCalibration(population, choices, { seed: 4, factor: 1 }), once);
  const more = simulateCalibration(population, choices, { seed: 4, factor: 3 });
  assert.ok(more.certified.length >= once.certified.length);
  assert.ok(more.coverage <= more.bestCoverage + 0.02);
});

test("every claim is judged by what it is about", () => {
  for (const claim of ["expected-joint-risk", "fixed-catalog"] as const) {
    const { broken, certified } = simulateCalibration(population, { ...choices, claim }, { seed: 5, factor: 3 });
    assert.is(broken && certified.length === 0, false);
  }
});

test("the summary counts broken claims by size and says whether chance explains them", () => {
  const base: Repetition = {
    id: "1 x 1",
    seed: 1,
    factor: 1,
    broken: false,
    certified: ["overall"],
    brokenClaims: [],
    coverage: 0.2,
    bestCoverage: 0.4,
  };
  const many = Array.from({ length: 100 }, (_, i) => ({ ...base, broken: i < 20 }));
  const [one, two] = summariseSimulation([...many, { ...base, factor: 2, coverage: 0.3 }], 0.05);
  assert.equal(
    [one?.violations, one?.repetitions, one?.certified, two?.coverage],
    [20, 100, [{ scope: "overall", share: 1 }], 0.3],
  );
  const text = describeSimulation(
    [one, two].filter((s) => s !== undefined),
    0.05,
  ).join("\n");
  assert.match(text, /broken in 20, 20\.00 %.*ABOVE the 5\.00 %/);
  assert.match(text, /With 2 times the data, 1 repetitions/);
});

test("a handful of workflows is no population", () => {
  const few = records.filter((record) => /-(0|1|2)-/.test(record.id) && record.fold === "tune");
  throws(() => simulatedPopulationOf(few), "CALIBRATION_INVALID");
});

test.run();
