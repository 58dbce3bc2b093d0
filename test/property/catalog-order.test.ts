/** The order of a catalog is no part of its meaning. */
import fc from "fast-check";
import type { Catalog } from "../../src/documents/catalog.js";
import type { RouteRequest } from "../../src/documents/request.js";
import type { RouteResponse } from "../../src/documents/response.js";
import { assert, test } from "../support/test.js";
import { anAcceptingCalibration, aPolicy } from "../support/builders.js";
import { testModels } from "../support/models.js";
import { ruleRouter } from "../support/rule-router.js";
import { smallCatalogs, smallRequests } from "../support/small-worlds.js";

const calibration = anAcceptingCalibration();

async function answers(catalog: Catalog, requests: readonly RouteRequest[]): Promise<readonly RouteResponse[]> {
  const router = ruleRouter(await testModels(catalog), { catalog, calibration, policy: aPolicy({ top_k: 3 }) });
  try {
    return await Promise.all(requests.map((request) => router.route(request)));
  } finally {
    await router.close();
  }
}

const worlds = smallCatalogs.chain((catalog) =>
  fc.tuple(
    fc.constant(catalog),
    fc.shuffledSubarray([...catalog.workflows], { minLength: catalog.workflows.length }),
    smallRequests(catalog, 20),
  ),
);

const withoutLatency = ({ latency_ms: _latency, ...rest }: RouteResponse) => rest;

test("permuting the catalog changes no answer, to the last digit", async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async ([catalog, shuffled, requests]) => {
      const before = await answers(catalog, requests);
      const after = await answers({ ...catalog, workflows: shuffled }, requests);
      assert.equal(after.map(withoutLatency), before.map(withoutLatency));
    }),
    { numRuns: 6, endOnFailure: true },
  );
});
