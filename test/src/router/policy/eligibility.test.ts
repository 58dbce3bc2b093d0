import fc from "fast-check";
import type { WorkflowId } from "../../../../src/documents/primitives.js";
import { workflowStatuses } from "../../../../src/documents/catalog.js";
import { riskTiers } from "../../../../src/documents/choices.js";
import { activeWorkflows, Eligibility } from "../../../../src/router/policy/eligibility.js";
import { assert, test } from "../../../support/test.js";
import { aCatalog, aWorkflow } from "../../../support/builders.js";

const catalog = aCatalog({
  workflows: [
    aWorkflow({ workflow_id: "active.low" }),
    aWorkflow({ workflow_id: "active.critical", risk_tier: "critical" }),
    aWorkflow({ workflow_id: "off.disabled", status: "disabled" }),
    aWorkflow({ workflow_id: "off.deprecated", status: "deprecated" }),
  ],
});
const everyId = catalog.workflows.map((workflow) => workflow.workflow_id);

const rows: readonly {
  readonly name: string;
  readonly allowed: readonly string[] | null;
  readonly blocked?: readonly string[];
  readonly tiers?: typeof riskTiers | readonly ["low"] | readonly [];
  readonly expected: readonly string[];
}[] = [
  { name: "no list allows every active workflow", allowed: null, expected: ["active.low", "active.critical"] },
  { name: "an empty list allows nothing", allowed: [], expected: [] },
  { name: "an id given twice counts once", allowed: ["active.low", "active.low"], expected: ["active.low"] },
  {
    name: "an unknown blocked id blocks nothing",
    allowed: ["active.low"],
    blocked: ["no.such"],
    expected: ["active.low"],
  },
  { name: "a list allows what it names", allowed: ["active.low"], expected: ["active.low"] },
  { name: "an unknown id allows nothing", allowed: ["no.such"], expected: [] },
  { name: "a list does not wake inactive workflows", allowed: everyId, expected: ["active.low", "active.critical"] },
  { name: "blocked ids are out", allowed: null, blocked: ["active.low"], expected: ["active.critical"] },
  { name: "blocked goes before allowed", allowed: ["active.low"], blocked: ["active.low"], expected: [] },
  { name: "a tier that the policy leaves out is out", allowed: null, tiers: ["low"], expected: ["active.low"] },
  { name: "no tier allows nothing", allowed: null, tiers: [], expected: [] },
];

for (const { name, allowed, blocked = [], tiers = riskTiers, expected } of rows) {
  test(name, () => {
    const request = { allowed_workflow_ids: allowed, blocked_workflow_ids: blocked };
    const eligible = new Eligibility(catalog, tiers).of(request);
    assert.equal(
      everyId.filter((id) => eligible.has(id)),
      expected,
    );
    assert.is(eligible.size, expected.length);
  });
}

const ids = ["one", "two", "three", "four", "five"] as const;

test("an eligible workflow is active, in an allowed tier, on the list and not blocked", () => {
  const workflows = fc.tuple(
    ...ids.map((workflowId) =>
      fc
        .record({ status: fc.constantFrom(...workflowStatuses), risk_tier: fc.constantFrom(...riskTiers) })
        .map((fields) => aWorkflow({ workflow_id: workflowId, ...fields })),
    ),
  );
  const list = fc.subarray([...ids]);
  fc.assert(
    fc.property(workflows, fc.subarray([...riskTiers]), fc.option(list), list, (all, tiers, allowed, blocked) => {
      const request = { allowed_workflow_ids: allowed, blocked_workflow_ids: blocked };
      const catalogOfAll = aCatalog({ workflows: all });
      const found = new Eligibility(catalogOfAll, tiers).of(request);
      const positions = activeWorkflows(catalogOfAll).map(({ workflow_id: workflowId }) => workflowId);
      for (const workflow of all) {
        const id = workflow.workflow_id as (typeof ids)[number];
        const may = workflow.status === "active" && tiers.includes(workflow.risk_tier) && !blocked.includes(id);
        const expected = may && (allowed === null || allowed.includes(id));
        assert.is(found.has(id), expected);
        assert.is(found.hasPosition(positions.indexOf(id as WorkflowId)), expected);
      }
    }),
  );
});

test("one request leaves nothing behind for the next", () => {
  const eligibility = new Eligibility(catalog, riskTiers);
  eligibility.of({ allowed_workflow_ids: null, blocked_workflow_ids: ["active.low"] });
  eligibility.of({ allowed_workflow_ids: [], blocked_workflow_ids: [] });
  assert.is(eligibility.of({ allowed_workflow_ids: null, blocked_workflow_ids: [] }).size, 2);
});

test("eligible workflows that declare an event, each once", () => {
  const twice = aWorkflow({ workflow_id: "event.twice", event_types: ["asked", "asked"] });
  const also = aWorkflow({ workflow_id: "event.also", event_types: ["other", "asked"] });
  const disabled = aWorkflow({ workflow_id: "event.off", event_types: ["asked"], status: "disabled" });
  const eligibility = new Eligibility(aCatalog({ workflows: [twice, also, disabled] }), riskTiers);
  const declaring = (blockedWorkflowIds: readonly string[], eventType = "asked") =>
    eligibility
      .of({ allowed_workflow_ids: null, blocked_workflow_ids: blockedWorkflowIds })
      .declaring(eventType)
      .map(({ workflow_id: workflowId }) => workflowId);
  assert.equal(declaring([]), ["event.also", "event.twice"]);
  assert.equal(declaring(["event.twice"]), ["event.also"]);
  assert.equal(declaring([], "nobody"), []);
});

test("a list that cannot change is read once, and one that can each time", () => {
  const eligibility = new Eligibility(catalog, riskTiers);
  const of = (allowed: readonly string[]) =>
    eligibility.of({ allowed_workflow_ids: allowed, blocked_workflow_ids: [] });
  const frozen = Object.freeze(["active.low"]);
  assert.ok(of(frozen) === of(frozen));
  assert.is(of(frozen).size, 1);
  const open = ["active.low"];
  of(open);
  open.length = 0;
  assert.is(of(open).size, 0);
});
