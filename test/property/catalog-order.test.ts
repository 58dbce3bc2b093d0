/** The order of a catalog is no part of its meaning. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Catalog } from "../../src/domain/catalog.js";
import type { RouteRequest } from "../../src/domain/request.js";
import type { RouteResponse } from "../../src/domain/response.js";
import { decisionSlack, isSettled } from "../../src/policy/decision-slack.js";
import { anAcceptingCalibration, aPolicy } from "../support/builders.js";
import { testModels } from "../support/models.js";
import { ruleRouter } from "../support/rule-router.js";
import { smallCatalogs, smallRequests } from "../support/small-worlds.js";

const test = suite("property/catalog-order");

const calibration = anAcceptingCalibration();

interface Answer {
  readonly response: RouteResponse;
  /** false where two scores are so close that the last digits of a sum, taken in another order, may decide. */
  readonly settled: boolean;
}

async function answers(catalog: Catalog, requests: readonly RouteRequest[]): Promise<readonly Answer[]> {
  const router = ruleRouter(await testModels(catalog), { catalog, calibration, policy: aPolicy({ topK: 3 }) });
  const answer = async (request: RouteRequest): Promise<Answer> => {
    const { candidates, boundaryGap } = await router.score(request);
    const settled = isSettled(decisionSlack(candidates, calibration), boundaryGap);
    return { response: await router.route(request), settled };
  };
  try {
    return await Promise.all(requests.map(answer));
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

const withoutNumbers = ({ confidence: _confidence, latencyMs: _latency, candidates: _shown, ...rest }: RouteResponse) =>
  rest;

test("permuting the catalog changes no answer", async () => {
  let compared = 0;
  let all = 0;
  await fc.assert(
    fc.asyncProperty(worlds, async ([catalog, shuffled, requests]) => {
      const before = await answers(catalog, requests);
      const after = await answers({ ...catalog, workflows: shuffled }, requests);
      for (const [index, { response: moved }] of after.entries()) {
        const original = before[index];
        all += 1;
        if (original?.settled !== true) continue;
        compared += 1;
        assert.equal(withoutNumbers(moved), withoutNumbers(original.response));
        assert.ok(Math.abs(moved.confidence - original.response.confidence) < 1e-4);
      }
    }),
    { numRuns: 6, endOnFailure: true },
  );
  assert.ok(compared / all > 0.7, `only ${compared} of ${all} answers were settled`);
});

test.run();
