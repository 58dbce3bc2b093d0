import type { WorkflowId } from "../../../src/documents/primitives.js";
import type { Workflow } from "../../../src/documents/catalog.js";
import { riskTiers } from "../../../src/documents/choices.js";
import type { RoutingPolicy } from "../../../src/documents/policy.js";
import { compileInputPatterns } from "../../../src/router/inputs/input-patterns.js";
import { Eligibility } from "../../../src/router/policy/eligibility.js";
import { decideByEvent } from "../../../src/router/exact-event.js";
import { assert, test } from "../../support/test.js";
import { aCalibration, aCatalog, anInput, aPolicy, aRouteRequest, aWorkflow } from "../../support/builders.js";

const enabled: RoutingPolicy["exact_events"] = { enabled: true, allowed_tiers: ["low"] };
const declaring = aWorkflow({ workflow_id: "orders.status", event_types: ["order.asked"] });
const anyWorkflow = { allowed_workflow_ids: null, blocked_workflow_ids: [] };
const needing = { ...declaring, required_inputs: [anInput({ pattern: "[0-9]+" })] };

function decide(
  workflows: readonly Workflow[],
  overrides: Parameters<typeof aRouteRequest>[0] = {},
  exactEvents = enabled,
  now: () => number = () => 0,
) {
  return decideByEvent(aRouteRequest({ event_type: "order.asked", ...overrides }), {
    policy: aPolicy({ exact_events: exactEvents }),
    calibration: aCalibration(),
    eligible: new Eligibility(aCatalog({ workflows }), riskTiers).of(anyWorkflow),
    patterns: compileInputPatterns(aCatalog({ workflows })),
    now,
  });
}

test("one eligible workflow that declares the event is chosen with certainty and without margin", () => {
  assert.equal(decide([declaring, aWorkflow({ workflow_id: "other.one" })]), {
    decision: "ROUTE",
    reason_code: "EXACT_EVENT_RULE",
    workflow_id: "orders.status",
    confidence: 1,
    margin: null,
    missing_inputs: [],
    risk_tier: "low",
  });
});

const silent: readonly (readonly [name: string, decision: ReturnType<typeof decide>])[] = [
  ["the policy has the rule off", decide([declaring], {}, { enabled: false, allowed_tiers: [...riskTiers] })],
  ["the request has no event", decide([declaring], { event_type: null })],
  ["nobody declares the event", decide([declaring], { event_type: "order.other" })],
  ["the event differs in case", decide([declaring], { event_type: "Order.Asked" })],
  ["the declaring workflow is not eligible", decide([aWorkflow({ workflow_id: "other.one" })])],
  ["the tier is not permitted", decide([{ ...declaring, risk_tier: "critical" }])],
];

for (const [name, decision] of silent) test(`the text decides when ${name}`, () => assert.is(decision, null));

test("a permitted higher tier is routed", () => {
  const decision = decide([{ ...declaring, risk_tier: "high" }], {}, { enabled: true, allowed_tiers: ["high"] });
  assert.is(decision?.risk_tier, "high");
});

test("an event does not route into a tier that abstains, unless the policy names the tier for that too", () => {
  const { tiers } = aCalibration();
  const calibration = { tiers: { ...tiers, high: { ...tiers.high, confidence: null, margin: null } } };
  const workflows = [{ ...declaring, risk_tier: "high" as const }];
  const reason = (exactEvents: RoutingPolicy["exact_events"]) =>
    decideByEvent(aRouteRequest({ event_type: "order.asked" }), {
      policy: aPolicy({ exact_events: exactEvents }),
      calibration,
      eligible: new Eligibility(aCatalog({ workflows }), riskTiers).of(anyWorkflow),
      patterns: compileInputPatterns(aCatalog({ workflows })),
      now: () => 0,
    })?.reason_code;
  assert.is(reason({ enabled: true, allowed_tiers: ["high"] }), undefined);
  assert.is(reason({ enabled: true, allowed_tiers: ["high"], abstaining_tiers: ["high"] }), "EXACT_EVENT_RULE");
  assert.is(reason({ enabled: true, allowed_tiers: ["low"], abstaining_tiers: ["high"] }), undefined);
});

test("two eligible workflows that declare it are ambiguous", () => {
  const decision = decide([declaring, { ...declaring, workflow_id: "orders.twin" as WorkflowId }]);
  assert.equal([decision?.reason_code, decision?.workflow_id], ["AMBIGUOUS_EVENT_RULE", null]);
});

test("a missing input is requested", () => {
  const decision = decide([needing]);
  assert.equal([decision?.decision, decision?.reason_code], ["CLARIFY", "EXACT_EVENT_MISSING_INPUT"]);
  assert.equal([decision?.missing_inputs, decision?.workflow_id], [["order_number"], "orders.status"]);
});

test("context or text may give the input", () => {
  assert.is(decide([needing], { context: { order_number: 5 } })?.reason_code, "EXACT_EVENT_RULE");
  assert.is(decide([needing], { text: "order 5" })?.reason_code, "EXACT_EVENT_RULE");
});

test("a spent pattern budget declines without naming the workflow", () => {
  let clock = 0;
  const decision = decide([needing], {}, enabled, () => (clock += 1000));
  assert.equal([decision?.reason_code, decision?.workflow_id], ["INPUT_EXTRACTION_TIMEOUT", null]);
});
