import { contractParts, positiveParts } from "../../../../src/documents/workflow-text/contract-parts.js";
import { assert, test } from "../../../support/test.js";
import { anInput, aWorkflow } from "../../../support/builders.js";

const workflow = aWorkflow({
  name: " Order\t status ",
  description: "Tells where\nan order is.",
  capabilities: ["Track", "Trace"],
  examples: ["where is it"],
  exclusions: ["Cancelling", "Refunds"],
});

test("parts come in fixed order with collapsed white space", () => {
  assert.equal(contractParts(workflow), [
    { kind: "name", text: "Order status" },
    { kind: "description", text: "Tells where an order is." },
    { kind: "capability", text: "Track" },
    { kind: "capability", text: "Trace" },
    { kind: "example", text: "where is it" },
    { kind: "exclusion", text: "Cancelling" },
    { kind: "exclusion", text: "Refunds" },
  ]);
});

test("positive parts leave the exclusions out", () => {
  assert.equal(positiveParts(workflow), contractParts(workflow).slice(0, 5));
});

test("parts hold nothing else of a workflow", () => {
  const other = aWorkflow({
    ...workflow,
    workflow_id: "other.id",
    version: "9.9.9",
    owner: null,
    status: "disabled",
    risk_tier: "critical",
    side_effect: "destructive",
    confirmation: "always",
    required_inputs: [anInput()],
    optional_inputs: [anInput({ name: "city" })],
    event_types: ["a.b"],
    metadata: { a: 1 },
  });
  assert.equal(contractParts(other), contractParts(workflow));
});
