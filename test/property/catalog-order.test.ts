/** The order of a catalog is no part of its meaning. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Catalog } from "../../src/domain/catalog.js";
import type { RouteRequest } from "../../src/domain/request.js";
import type { RouteResponse } from "../../src/domain/response.js";
import { anAcceptingCalibration, aPolicy } from "../support/builders.js";
import { testModels } from "../support/models.js";
import { ruleRouter } from "../support/rule-router.js";
import { smallCatalogs, smallRequests } from "../support/small-worlds.js";

const test = suite("property/catalog-order");

async function answers(catalog: Catalog, requests: readonly RouteRequest[]): Promise<readonly RouteResponse[]> {
  const calibration = anAcceptingCalibration();
  const router = ruleRouter(await testModels(catalog), { catalog, calibration, policy: aPolicy({ topK: 3 }) });
  try {
    return await Promise.all(requests.map((request) => router.route(request)));
  } finally {
    await router.close();
  }
}

/** Scores of another order of sums differ in their last digits: no more than that may differ. */
function coarse(response: RouteResponse) {
  const { decision, reasonCode, workflowId, missingInputs, confidence } = response;
  return { decision, reasonCode, workflowId, missingInputs, confidence: confidence.toFixed(4) };
}

const worlds = smallCatalogs.chain((catalog) =>
  fc.tuple(
    fc.constant(catalog),
    fc.shuffledSubarray([...catalog.workflows], { minLength: catalog.workflows.length }),
    smallRequests(catalog, 20),
  ),
);

test("permuting the catalog changes no answer", async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async ([catalog, shuffled, requests]) => {
      const before = await answers(catalog, requests);
      const after = await answers({ ...catalog, workflows: shuffled }, requests);
      assert.equal(after.map(coarse), before.map(coarse));
    }),
    { numRuns: 6 },
  );
});

test.run();
