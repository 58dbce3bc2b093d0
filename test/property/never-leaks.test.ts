/** A workflow that a caller may not use is never returned, shown or logged. */
import fc from "fast-check";
import type { Catalog } from "../../src/documents/catalog.js";
import type { RouteRequest } from "../../src/documents/request.js";
import type { BundleRouter } from "../../src/router/router.js";
import { observeRouter } from "../../src/router/telemetry/observe-router.js";
import type { TelemetryEvent } from "../../src/router/telemetry/sink.js";
import { assert, test } from "../support/test.js";
import { aCalibration, anAcceptingCalibration, aPolicy } from "../support/builders.js";
import { testModels } from "../support/models.js";
import { ruleRouter } from "../support/rule-router.js";
import { smallCatalogs, smallRequests } from "../support/small-worlds.js";

const worlds = smallCatalogs.chain((catalog) => fc.tuple(fc.constant(catalog), smallRequests(catalog, 30)));
const policies = fc.record({
  top_k: fc.integer({ min: 1, max: 8 }),
  ineligible_competitors: fc.integer({ min: 0, max: 4 }),
  allowed_tiers: fc.subarray(["low", "medium", "high", "critical"] as const, { minLength: 1 }),
});

/** Ids of the catalog that this request may not reach, by a rule written down a second time. */
function forbidden(catalog: Catalog, request: RouteRequest, tiers: readonly string[]): readonly string[] {
  return catalog.workflows
    .filter(
      ({ workflow_id: workflowId, status, risk_tier: riskTier }) =>
        status !== "active" ||
        !tiers.includes(riskTier) ||
        request.blocked_workflow_ids.includes(workflowId) ||
        request.allowed_workflow_ids?.includes(workflowId) === false,
    )
    .map(({ workflow_id: workflowId }) => workflowId);
}

/** Everything that leaves the router for a request: answer, explanation, log. */
async function everythingSaid(router: BundleRouter, request: RouteRequest): Promise<string> {
  const events: TelemetryEvent[] = [];
  const observed = observeRouter(router, { emit: (event) => void events.push(event) });
  const response = await observed.route(request);
  const explanation = await router.explain(request);
  return JSON.stringify([response, events, explanation]);
}

test("blocked, unlisted, disabled and too risky workflows appear in no answer, event or explanation", async () => {
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(worlds, policies, fc.boolean(), async ([catalog, requests], limits, accepting) => {
      const models = await testModels(catalog);
      const calibration = accepting ? anAcceptingCalibration() : aCalibration();
      const router = ruleRouter(models, { catalog, calibration, policy: aPolicy(limits) });
      try {
        for (const request of requests) {
          const said = await everythingSaid(router, request);
          for (const id of forbidden(catalog, request, limits.allowed_tiers)) {
            checked += 1;
            assert.not.ok(said.includes(`"${id}"`), `${id} leaked: ${said}`);
          }
        }
      } finally {
        await router.close();
      }
    }),
    { numRuns: 8, endOnFailure: true },
  );
  assert.ok(checked > 100, `only ${checked} forbidden ids were looked for`);
});
