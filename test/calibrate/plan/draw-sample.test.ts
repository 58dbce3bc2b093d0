import { drawSample, planPopulation } from "../../../calibrate/plan/draw-sample.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { assert, test } from "../../support/test.js";

const rows = Array.from({ length: 100 }, (_, i) => ({
  tier: "low" as const,
  confidence: (i + 1) / 100,
  error: false,
  outOfScope: false,
  cluster: "workflow:one",
}));

test("ten confident requests without an error leave it open whether 2% of such requests are wrong", () => {
  const population = planPopulation({
    rows,
    requests: { inScope: new Map([["workflow:one", 100]]), outOfScope: new Map() },
  });
  const none = { inScope: 0, outOfScope: 0 };
  const size = { withLabelled: false, clusters: none, perWorkflow: 1, requests: { inScope: 2000, outOfScope: 0 } };
  const random = seededRandom(1);
  const beliefs = 200;
  let wrongIn2 = 0;
  for (let belief = 0; belief < beliefs; belief += 1) {
    const confident = drawSample(population, size, random).rows.filter(({ confidence }) => confidence > 0.9);
    if (confident.filter(({ error }) => error).length > 0.02 * confident.length) wrongIn2 += 1;
  }
  assert.ok(wrongIn2 > 0.15 * beliefs && wrongIn2 < 0.4 * beliefs, `${wrongIn2} of ${beliefs}`);
});
