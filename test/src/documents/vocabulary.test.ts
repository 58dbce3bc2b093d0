import type { WorkflowId } from "../../../src/documents/primitives.js";
import { riskTiers } from "../../../src/documents/choices.js";
import { schemaProblems } from "../../../src/documents/check-schema.js";
import { clusterOf } from "../../../src/documents/dataset.js";
import { decisionKinds, reasonCodes } from "../../../src/documents/decision.js";
import { defaultPolicy, RoutingPolicySchema } from "../../../src/documents/policy.js";
import { requestIdGrammar } from "../../../src/documents/request.js";
import { assert, test } from "../../support/test.js";

test("every reason code belongs to one of the three decisions, and every tier has its accepting code", () => {
  assert.equal([...new Set(Object.values(reasonCodes))].sort(), [...decisionKinds].sort());
  for (const tier of riskTiers) assert.ok(`ACCEPTED_${tier.toUpperCase()}_RISK` in reasonCodes);
});

test("the default policy satisfies its schema and leaves exact events off", () => {
  assert.equal(schemaProblems(RoutingPolicySchema, defaultPolicy), []);
  assert.is(defaultPolicy.exact_events.enabled, false);
});

test("the cluster of a row is its workflow, else its group, else itself", () => {
  assert.is(clusterOf({ id: "1", workflow_id: "a.b" as WorkflowId, group_id: "g" }), "workflow:a.b");
  assert.is(clusterOf({ id: "1", workflow_id: null, group_id: "g" }), "group:g");
  assert.is(clusterOf({ id: "1", workflow_id: null, group_id: null }), "row:1");
  assert.is(clusterOf({ id: "1", workflow_id: null }), "row:1");
});

test("a request id begins with a letter or digit and has at most 160 characters", () => {
  for (const good of ["a", "0", "req_1:/.-", "x".repeat(160)]) assert.ok(requestIdGrammar.test(good), good);
  for (const bad of ["", "_a", "a b", "ä", "a\n", "x".repeat(161)]) assert.not.ok(requestIdGrammar.test(bad), bad);
});
