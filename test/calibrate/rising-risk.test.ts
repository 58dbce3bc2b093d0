import { risingRisk, riskRises } from "../../calibrate/rising-risk.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, test } from "../support/test.js";
import { syntheticWorlds } from "./guarantee/worlds.js";

/** Shares of 40 draws in which the diagnostic shows a rise, and the mean of the power that it states. */
function tried(world: string, workflows: number) {
  const random = seededRandom(9);
  const drawn = syntheticWorlds.find(({ name }) => name === world);
  const found = Array.from({ length: 40 }, () => risingRisk(drawn?.draw(random, workflows).rows ?? []));
  return {
    shown: found.filter(riskRises).length / found.length,
    power: found.reduce((sum, one) => sum + (one?.power ?? 0), 0) / found.length,
  };
}

test("a rise is shown where there is one, about as often as the stated power", () => {
  const { shown, power } = tried("scores rise with risk", 52);
  assert.ok(shown > 0.5, `${shown}`);
  assert.ok(Math.abs(shown - power) < 0.35, `${shown} shown, ${power} stated`);
});

for (const world of ["gamma frailty", "twins, 12%", "flat risk", "beta-binomial"]) {
  test(`no rise is shown in the world ${world} more often than chance explains`, () => {
    const { shown } = tried(world, 52);
    assert.ok(shown <= 0.05 + 3 * Math.sqrt((0.05 * 0.95) / 40), `${shown}`);
  });
}

test("a single workflow shows nothing", () => {
  assert.is(risingRisk([{ tier: "low", confidence: 0.5, error: false, outOfScope: false, cluster: "w" }]), null);
});
