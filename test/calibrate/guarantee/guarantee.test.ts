/** A small version of `npm run bench:guarantee`. */
import { assert, test } from "../../support/test.js";
import { allowedViolations, isBroken, runWorld, type WorldOutcome } from "./run-worlds.js";
import { runSlices } from "./slices.js";
import { syntheticWorlds } from "./worlds.js";

const repetitions = 20;
const named = ["gamma frailty", "twins in one tier", "out-of-scope groups", "shifted mix"];
const outcomes: readonly WorldOutcome[] = syntheticWorlds
  .filter(({ name }) => named.includes(name))
  .flatMap((world) => runWorld(world, { workflows: 80, repetitions, seed: 17, targets: [0.1] }));
const of = (world: string, rule: string) => outcomes.find((o) => o.world === world && o.rule === rule) as WorldOutcome;

test("no claim is broken more often than chance explains in a world that it covers", () => {
  for (const outcome of outcomes) assert.not(isBroken(outcome), `${outcome.world}, ${outcome.rule}`);
});

test("claims about languages of different difficulty hold together, where one threshold for all would not", () => {
  const { certified, violations, violationsTogether } = runSlices({
    workflows: 40,
    repetitions,
    target: 0.1,
    seed: 23,
  });
  assert.ok(certified > repetitions / 2, `${certified}`);
  assert.ok(violations <= allowedViolations(repetitions), `${violations}`);
  assert.ok(violationsTogether > violations, `${violationsTogether}`);
});

test("the empirical threshold breaks its target", () => {
  const { violations } = of("gamma frailty", "empirical threshold");
  assert.ok(violations > allowedViolations(repetitions), `${violations}`);
});

test("the default routes most of what could be routed if the risk were known", () => {
  const { coverage, bestCoverage } = of("gamma frailty", "planned target alone");
  assert.ok(coverage > 0.6 * bestCoverage, `${coverage} of ${bestCoverage}`);
});

test("a mix that was not tested breaks claims, and no claim says that it covers it", () => {
  const shifted = of("shifted mix", "planned target alone");
  assert.is(shifted.covered, false);
  assert.ok(shifted.violations > allowedViolations(repetitions), `${shifted.violations}`);
});

test("which world a claim covers is stated for every world", () => {
  const uncovered = syntheticWorlds.filter(({ covers }) => !covers["new-workflows"]).map(({ name }) => name);
  assert.equal(uncovered, ["scores rise with risk", "shifted mix"]);
});
