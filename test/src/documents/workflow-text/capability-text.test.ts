import { capabilityText } from "../../../../src/documents/workflow-text/identity.js";
import { assert, test } from "../../../support/test.js";
import { aWorkflow } from "../../../support/builders.js";

const workflow = aWorkflow({
  name: " Order\t status ",
  description: "Tells where\nan order is.",
  capabilities: ["Track", " ", "Is it late?"],
  examples: ["where is it"],
  exclusions: ["Cancelling"],
});

test("name, description and capabilities are sentences; blank ones, examples and exclusions are left out", () => {
  assert.is(capabilityText(workflow), "Order status. Tells where an order is. Track. Is it late?");
});

test("a workflow without capabilities is its name and description", () => {
  assert.is(capabilityText(aWorkflow({ ...workflow, capabilities: [] })), "Order status. Tells where an order is.");
});
