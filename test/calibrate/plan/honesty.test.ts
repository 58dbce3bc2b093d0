/** A small version of `npm run bench:plan`. */
import { syntheticWorlds } from "../guarantee/worlds.js";
import { assert, test } from "../../support/test.js";
import { followAdvice, type Followed } from "./follow-advice.js";
import { catalogFutures, workflowFutures } from "./world-futures.js";

/** Four plans for each claim in a world. */
async function follow(name: string, search: boolean): Promise<readonly Followed[]> {
  const world = syntheticWorlds.find((one) => one.name === name);
  if (world === undefined) throw new Error(`there is no world ${name}`);
  const options = { draws: 4, seed: 3, samples: 25, search } as const;
  return [
    await followAdvice(workflowFutures(world, 12, 24), { ...options, claim: "new-workflows" }),
    await followAdvice(catalogFutures(world, 30, 120), { ...options, claim: "fixed-catalog" }),
  ];
}

const followed = [
  ...(await follow("beta-binomial", true)),
  ...(await follow("out-of-scope groups", false)),
  ...(await follow("twins in one tier", false)),
];
const total = (tallyOf: (one: Followed) => { readonly rows: number; readonly certified: number }) =>
  followed.map(tallyOf).reduce((a, b) => ({ rows: a.rows + b.rows, certified: a.certified + b.certified }));

test("a claim with a stated probability of 0.80 certifies at least that often", () => {
  const { rows, certified } = total(({ stated }) => stated);
  assert.ok(rows >= 15, `${rows} rows`);
  assert.ok(certified >= 0.8 * rows, `${certified} of ${rows}`);
});

test("collecting what the plan says is missing leads to a certificate", () => {
  const { rows, certified } = total(({ missing }) => missing);
  assert.ok(rows >= 1, `${rows} rows`);
  const noise = 3 * Math.sqrt(0.16 / rows);
  assert.ok(certified >= (0.8 - noise) * rows, `${certified} of ${rows}`);
});

test("what is called out of reach does not certify, and an advised claim is true", () => {
  assert.is(total(({ outOfReach }) => outOfReach).certified, 0);
  const broken = followed.reduce((sum, { advised }) => sum + advised.broken, 0);
  const certified = followed.reduce((sum, { advised }) => sum + advised.certified, 0);
  assert.ok(broken <= 0.05 * certified + 3 * Math.sqrt(0.0475 * certified), `${broken} of ${certified}`);
});
