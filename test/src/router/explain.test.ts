import type { RouteTrace } from "../../../src/router/explain.js";
import type { LoadedModels } from "../../../src/router/load-models.js";
import type { RouterParts } from "../../../src/router/router.js";
import { assert, rejects, test } from "../../support/test.js";
import { aRouteRequest } from "../../support/builders.js";
import { testModels } from "../../support/models.js";
import { ruleCatalog, ruleRouter } from "../../support/rule-router.js";

let models: LoadedModels;
test.before(async () => {
  models = await testModels(ruleCatalog);
});
test.after(() => models.close());

async function traceFor(
  request: Parameters<typeof aRouteRequest>[0],
  parts: Partial<RouterParts> = {},
): Promise<RouteTrace> {
  return (await ruleRouter(models, parts).explain(aRouteRequest(request))).trace;
}

test("the answer is the one that route() gives", async () => {
  for (const request of [{}, { debug: true }, { text: "I need a meeting room" }, { allowed_workflow_ids: [] }]) {
    const router = ruleRouter(models);
    const { response } = await router.explain(aRouteRequest(request));
    assert.equal(response, await router.route(aRouteRequest(request)));
  }
});

test("a production router explains nothing", async () => {
  await rejects(ruleRouter(models, { runtimeMode: "production" }).explain(aRouteRequest()), "PRODUCTION_CONFIGURATION");
});

test("eligible workflows are counted against the active ones", async () => {
  const { active_workflows: activeWorkflows, eligible_workflows: eligibleWorkflows } = await traceFor({
    allowed_workflow_ids: ["rooms.book", "rooms.old"],
  });
  assert.equal([eligibleWorkflows, activeWorkflows], [1, 5]);
});

test("a trace ends where the request ended", async () => {
  const early = { scores: null } as const;
  assert.equal(await traceFor({ context: { n: 1n } }), { active_workflows: 5, eligible_workflows: null, ...early });
  assert.equal(await traceFor({ allowed_workflow_ids: [] }), { active_workflows: 5, eligible_workflows: 0, ...early });
});

test("candidates have their rank over the whole catalog and their inputs, found and missing", async () => {
  const text = "I need a meeting room";
  const missing = (await traceFor({ text })).scores?.candidates[0];
  assert.equal(
    [missing?.workflow_id, missing?.retrieval_rank, missing?.found_inputs, missing?.missing_inputs],
    ["rooms.book", 1, [], ["day"]],
  );
  const found = (await traceFor({ text, context: { day: "monday" } })).scores?.candidates[0];
  assert.equal([found?.found_inputs, found?.missing_inputs], [["day"], []]);
});

test("an ineligible competitor is counted and takes its rank, but is named nowhere", async () => {
  const { response, trace } = await ruleRouter(models).explain(
    aRouteRequest({ debug: true, blocked_workflow_ids: ["orders.status"] }),
  );
  assert.is(trace.scores?.ineligible_competitors, 1);
  assert.is(trace.scores?.candidates[0]?.retrieval_rank, 2);
  assert.equal(trace.scores?.changes, [{ kind: "better_match_not_allowed", otherwise: "NO_WORKFLOW" }]);
  assert.not.match(JSON.stringify({ response, trace }), "orders.status");
});
