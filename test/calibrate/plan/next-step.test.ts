/** A small version of `node dist/bench/next-step-honesty.js`. */
import { procedureOf } from "../../../calibrate/procedure.js";
import { planNextStep } from "../../../calibrate/plan/next-step.js";
import type { WorkflowId } from "../../../src/documents/primitives.js";
import { syntheticWorlds } from "../guarantee/worlds.js";
import { assert, test } from "../../support/test.js";
import { followNextSteps } from "./follow-next-step.js";

const worlds = ["unequal tiers", "few twins in one tier"].flatMap((name) =>
  syntheticWorlds.filter((world) => world.name === name),
);

test("the next target of a small catalog is certified with what the plan asks for, in about 80%", async () => {
  let [asked, continued] = [0, 0];
  for (const world of worlds) {
    const followed = await followNextSteps(
      world,
      { workflows: 12, each: 12 },
      { planned: 0.05, draws: 8, seed: 7, samples: 40 },
    );
    asked += followed.asked;
    continued += followed.continued;
  }
  assert.ok(asked >= 4, `${asked} plans ask for requests`);
  assert.ok(continued >= (0.8 - 2 * Math.sqrt(0.16 / asked)) * asked, `${continued} of ${asked}`);
});

test("the most confident wrong routes at which a test stops are named, with the limit without them", async () => {
  const step = await planOf(8, 3);
  const stop = step?.stopped_at;
  assert.equal(
    stop?.wrong.map(({ id, right, routed, confidence }) => [id, right, routed, confidence]),
    [30, 31, 32].map((i) => [`r${i}`, `w${i % 12}`, "wrong", 1 - i / 200]),
  );
  assert.ok((stop?.upper_bound ?? 0) > 0.1 && (stop?.without ?? 1) < 0.1, JSON.stringify(stop));

  const tested = requestsWith(8, 3);
  const repaired = tested.rows.map((row, i) => (i === 30 ? { ...row, routed: row.request.workflow_id } : row));
  const again = await planTested({ ...tested, rows: repaired });
  assert.equal(
    again?.stopped_at?.wrong.map(({ id }) => id),
    ["r31", "r32"],
    "a row that counts as wrong from before, but is routed right now, is not named",
  );
});

/** 12 workflows with so many requests each, of which some of middling confidence are wrong. */
const requestsWith = (each: number, wrong: number) => ({
  rows: Array.from({ length: 12 * each }, (_, i) => ({
    tier: "low" as const,
    confidence: 1 - i / 200,
    error: i >= 30 && i < 30 + wrong,
    outOfScope: false,
    cluster: `workflow:${i % 12}`,
    request: { id: `r${i}`, workflow_id: `w${i % 12}` as WorkflowId },
    routed: "wrong" as WorkflowId,
  })),
  requests: { inScope: new Map(Array.from({ length: 12 }, (_, i) => [`workflow:${i}`, each])), outOfScope: new Map() },
});

const planOf = (each: number, wrong: number) => planTested(requestsWith(each, wrong));

function planTested(tested: ReturnType<typeof requestsWith>) {
  const fit = procedureOf({ claim: "fixed-catalog", target_risk: 0.1, delta: 0.05, attempt: 1, left_out: true });
  return planNextStep({ fit, tested, samples: 40, seed: 1, afterSample: () => Promise.resolve() });
}

test("a signed planned target needs nothing, and one that wrong routes keep away needs more", async () => {
  assert.is(await planOf(12, 0), null);
  const step = await planOf(8, 3);
  assert.is(step?.target_risk, 0.1);
  assert.ok((step?.requests ?? 0) > 0, `${step?.requests}`);
});

test("where most routes are wrong, requests alone do not help", async () => {
  const step = await planOf(12, 100);
  assert.equal([step?.target_risk, step?.requests, step?.probability], [0.5, null, 0]);
});
