/**
 * What the tests of the original service assert of router, calibration, inputs, models, registry and runtime. Most of it
 * is asserted where it belongs:
 *
 * - Router: complete read, reasoning text, empty allow list, unusable context, exact events, ambiguous events:
 *   `rules.test.ts`; 16 concurrent requests: `router.test.ts`; the index is built by `loadModels`, before there is a
 *   router; top-K 0: `bundle-router.test.ts`.
 * - Calibration: four tiers, thresholds that do not fall: `policy/require-valid-calibration.test.ts`.
 * - Inputs: context before pattern: `inputs/resolve.test.ts`; a hostile pattern ends: `inputs/input-patterns.test.ts`.
 * - Models: `catalog/load.test.ts`; duplicates in lists of a request: `serve/error-reply.test.ts`.
 * - Registry: `catalog/load.test.ts`; another version: `router.test.ts`; an event maps to one workflow: `rules.test.ts`.
 * - Runtime: refused starts: `bundle-router.test.ts`; changes in memory and on disk: `integrity-monitor.test.ts`; generations,
 *   rollback and mode: `runtime.test.ts`; directory digests: `artifacts/directory-hash.test.ts`.
 *
 * This file runs the suite of fourteen kinds of
 * request over a catalog of seven workflows, with the rules enabled that the original enables.
 */
import type { Workflow } from "../../../src/documents/catalog.js";
import { type ReasonCode, reasonCodes } from "../../../src/documents/decision.js";
import type { LoadedModels } from "../../../src/router/load-models.js";
import { assert, test } from "../../support/test.js";
import { aCatalog, anInput, aPolicy, aRouteRequest, aWorkflow } from "../../support/builders.js";
import { testModels } from "../../support/models.js";
import { ruleRouter } from "../../support/rule-router.js";

const order = anInput({ name: "order_id", aliases: ["order"], pattern: "\\b(?P<value>A-[0-9]{4})\\b" });
const workflow = (
  workflowId: string,
  name: string,
  examples: readonly string[],
  more: Partial<Workflow> = {},
): Workflow =>
  aWorkflow({
    workflow_id: workflowId,
    name,
    description: `${name} for a customer.`,
    capabilities: [name],
    examples,
    ...more,
  });

const write = { side_effect: "external_write", confirmation: "always" } as const;
const catalog = aCatalog({
  workflows: [
    workflow("orders.track", "Track a parcel", ["where is my parcel", "track parcel A-1000"], {
      required_inputs: [order],
    }),
    workflow("orders.cancel", "Cancel an order", ["cancel my order A-2000", "stop the order before it ships"], {
      ...write,
      risk_tier: "high",
      exclusions: ["Cancelling a subscription"],
      required_inputs: [order],
    }),
    workflow("plans.cancel", "Cancel a subscription", ["cancel my subscription", "end my monthly plan"], {
      ...write,
      risk_tier: "high",
      exclusions: ["Cancelling an order"],
    }),
    workflow("invoices.show", "Show invoices", ["show my invoices", "list the bills of this year"]),
    workflow("address.change", "Change an address", ["I moved, my new address", "change the delivery address"], {
      risk_tier: "medium",
      side_effect: "internal_write",
    }),
    workflow("newsletter.stop", "Stop the newsletter", ["no more newsletter please", "unsubscribe from mails"]),
    workflow("parcels.received", "Confirm a delivery", ["the parcel arrived", "delivery received"], {
      required_inputs: [anInput({ name: "signature" })],
      event_types: ["parcel.delivered"],
    }),
  ],
});
const policy = aPolicy({
  exact_events: { enabled: true, allowed_tiers: ["low", "medium", "high", "critical"] },
});

interface Row {
  readonly kind: string;
  readonly request: Parameters<typeof aRouteRequest>[0];
  readonly reason: ReasonCode;
  readonly workflowId?: string;
  readonly missing?: readonly string[];
}

const event = { text: "anything", event_type: "parcel.delivered" } as const;
const delivered = { workflowId: "parcels.received" } as const;
const rows: readonly Row[] = [
  {
    kind: "route, the input in the text",
    request: { text: "track parcel A-1234" },
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.track",
  },
  {
    kind: "route, the input in the context under an alias",
    request: { text: "cancel my order before it ships", context: { order: "A-1" } },
    reason: "ACCEPTED_HIGH_RISK",
    workflowId: "orders.cancel",
  },
  {
    kind: "route, without inputs",
    request: { text: "show my invoices" },
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "invoices.show",
  },
  {
    kind: "route, medium tier",
    request: { text: "change my delivery address" },
    reason: "ACCEPTED_MEDIUM_RISK",
    workflowId: "address.change",
  },
  {
    kind: "route, other words",
    request: { text: "please, no more newsletter mails" },
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "newsletter.stop",
  },
  {
    kind: "clarify, low tier",
    request: { text: "where is my parcel" },
    reason: "MISSING_REQUIRED_INPUT",
    workflowId: "orders.track",
    missing: ["order_id"],
  },
  {
    kind: "clarify, high tier",
    request: { text: "cancel my order, stop it before it ships" },
    reason: "MISSING_REQUIRED_INPUT",
    workflowId: "orders.cancel",
    missing: ["order_id"],
  },
  {
    kind: "event",
    request: { ...event, context: { signature: "ada" } },
    reason: "EXACT_EVENT_RULE",
    ...delivered,
  },
  {
    kind: "event without its input",
    request: event,
    reason: "EXACT_EVENT_MISSING_INPUT",
    missing: ["signature"],
    ...delivered,
  },
  {
    kind: "a near miss goes to its own workflow, not to the look-alike",
    request: { text: "cancel my subscription" },
    reason: "ACCEPTED_HIGH_RISK",
    workflowId: "plans.cancel",
  },
  {
    kind: "an empty allow list",
    request: { text: "show my invoices", allowed_workflow_ids: [] },
    reason: "NO_ELIGIBLE_WORKFLOW",
  },
];

let models: LoadedModels;
test.before(async () => {
  models = await testModels(catalog);
});
test.after(() => models.close());

for (const { kind, request, reason, workflowId = null, missing = [] } of rows) {
  test(`${kind}: ${reason}`, async () => {
    const response = await ruleRouter(models, { catalog, policy }).route(aRouteRequest(request));
    assert.equal(
      [response.reason_code, response.decision, response.workflow_id, response.missing_inputs],
      [reason, reasonCodes[reason], workflowId, missing],
    );
  });
}

test("a near miss whose own workflow is not allowed is declined, not sent to the look-alike", async () => {
  const request = aRouteRequest({ text: "cancel my subscription", allowed_workflow_ids: ["orders.cancel"] });
  const { reason_code: reasonCode, workflow_id: workflowId } = await ruleRouter(models, { catalog, policy }).route(
    request,
  );
  assert.equal([reasonCode, workflowId], ["BETTER_MATCH_NOT_ALLOWED", null]);
});

test("a context that is changed after its check is checked when it is routed", async () => {
  const context: Record<string, unknown> = { order: "A-1" };
  const request = aRouteRequest({ text: "track parcel", context });
  context["order"] = Number.NaN;
  const { reason_code: reasonCode } = await ruleRouter(models, { catalog, policy }).route(request);
  assert.is(reasonCode, "INVALID_CONTEXT");
});
