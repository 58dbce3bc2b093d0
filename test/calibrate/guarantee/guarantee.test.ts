/** A small version of `npm run bench:guarantee`. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { allowedViolations, runWorld, type WorldOutcome } from "./run-worlds.js";
import { syntheticWorlds } from "./worlds.js";

const test = suite("calibrate/guarantee");

const repetitions = 20;
const outcomes: readonly WorldOutcome[] = syntheticWorlds.flatMap((world) =>
  runWorld(() => world, { repetitions, seed: 17 }),
);

test("no claim is broken more often than chance explains in a world that it covers", () => {
  for (const { world, rule, covered, violations } of outcomes) {
    if (covered) assert.ok(violations <= allowedViolations(repetitions), `${world}, ${rule}: ${violations}`);
  }
});

test("the empirical threshold breaks the target in every world that could be certified", () => {
  for (const { world, rule, violations } of outcomes) {
    if (rule === "empirical threshold")
      assert.ok(violations > allowedViolations(repetitions), `${world}: ${violations}`);
  }
});

test("the default certifies where the risk falls, and abstains where it does not", () => {
  const coverageOf = (name: string) =>
    outcomes.find(({ world, claim }) => world === name && claim === "new-workflows-approximate")?.coverage ?? 0;
  assert.ok(coverageOf("independent") > 0.25);
  assert.ok(coverageOf("clustered") > 0.15);
  assert.ok(coverageOf("flat risk") < 0.05);
});

test("out-of-scope traffic that was not declared breaks the claim of the default, and the declared mix holds", () => {
  const shifted = outcomes.filter(({ world }) => world === "shifted mix");
  const byClaim = (claim: string) => shifted.find((outcome) => outcome.claim === claim);
  assert.is(byClaim("new-workflows-approximate")?.covered, false);
  assert.ok((byClaim("new-workflows-approximate")?.violations ?? 0) > allowedViolations(repetitions));
  assert.is(byClaim("declared-mix")?.covered, true);
});

test.run();
