import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { riskTiers, workflowStatuses } from "../../../src/domain/catalog.js";
import { eligibleWorkflows } from "../../../src/policy/eligibility.js";
import { aCatalog, aWorkflow } from "../../support/builders.js";

const test = suite("src/policy/eligibility");

const catalog = aCatalog({
  workflows: [
    aWorkflow({ workflowId: "active.low" }),
    aWorkflow({ workflowId: "active.critical", riskTier: "critical" }),
    aWorkflow({ workflowId: "off.disabled", status: "disabled" }),
    aWorkflow({ workflowId: "off.deprecated", status: "deprecated" }),
  ],
});
const everyId = catalog.workflows.map((workflow) => workflow.workflowId);

const rows: readonly {
  readonly name: string;
  readonly allowed: readonly string[] | null;
  readonly blocked?: readonly string[];
  readonly tiers?: typeof riskTiers | readonly ["low"] | readonly [];
  readonly expected: readonly string[];
}[] = [
  { name: "no list allows every active workflow", allowed: null, expected: ["active.low", "active.critical"] },
  { name: "an empty list allows nothing", allowed: [], expected: [] },
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
    const found = eligibleWorkflows(catalog, tiers, { allowedWorkflowIds: allowed, blockedWorkflowIds: blocked });
    assert.equal([...found.keys()], expected);
  });
}

const ids = ["one", "two", "three", "four", "five"] as const;

test("an eligible workflow is active, in an allowed tier, on the list and not blocked", () => {
  const workflows = fc.tuple(
    ...ids.map((workflowId) =>
      fc
        .record({ status: fc.constantFrom(...workflowStatuses), riskTier: fc.constantFrom(...riskTiers) })
        .map((fields) => aWorkflow({ workflowId, ...fields })),
    ),
  );
  const list = fc.subarray([...ids]);
  fc.assert(
    fc.property(workflows, fc.subarray([...riskTiers]), fc.option(list), list, (all, tiers, allowed, blocked) => {
      const request = { allowedWorkflowIds: allowed, blockedWorkflowIds: blocked };
      const found = eligibleWorkflows(aCatalog({ workflows: all }), tiers, request);
      for (const workflow of all) {
        const id = workflow.workflowId as (typeof ids)[number];
        const may = workflow.status === "active" && tiers.includes(workflow.riskTier) && !blocked.includes(id);
        assert.is(found.has(id), may && (allowed === null || allowed.includes(id)));
      }
    }),
  );
});

test.run();
