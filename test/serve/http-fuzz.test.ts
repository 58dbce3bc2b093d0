import fc from "fast-check";
import { assert, test } from "../support/test.js";
import { contractWorld } from "./support/contract-world.js";
import { fuzzRequests, marker, runFuzz } from "./support/http-fuzz.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { withServer } from "./support/http.js";

const requests = 750;

for (const mode of ["development", "production"] as const) {
  test(`${requests} requests in ${mode}: no 500, nothing repeated, every answer as described`, async () => {
    const world = await contractWorld(mode);
    try {
      const { lineage, workflowIds } = world.runtime.router;
      const arbitrary = fuzzRequests(lineage.catalog_version, [...workflowIds]);
      const report = await runFuzz(world.base, fc.sample(arbitrary, { numRuns: requests, seed: 20_260_301 }), 8);
      assert.equal(report.faults, []);
      assert.is(report.requests, requests);
      for (const status of [200, 400, 404, 405, 409, 413, 415, 422]) {
        assert.ok(report.statuses.has(status), `no ${status}`);
      }
    } finally {
      await world.close();
    }
  });
}

test("a server that fails or repeats a text is noticed", async () => {
  const failing = fixtureRouter({ during: ({ text }) => Promise.reject(new Error(text)) });
  const repeating = { ...fixtureRouter(), route: async () => ({ request_id: marker }) as never };
  for (const router of [failing, repeating]) {
    await withServer(router, {}, async (base) => {
      const sent = fc.sample(fuzzRequests("cat-1", ["card.block"]), { numRuns: 60, seed: 1 });
      assert.ok((await runFuzz(base, sent, 4)).faults.length > 0);
    });
  }
});
