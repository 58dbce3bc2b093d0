import { suite } from "uvu";
import * as assert from "uvu/assert";
import { capabilityText } from "../../../../src/documents/workflow-text/identity.js";
import { aWorkflow } from "../../../support/builders.js";

const test = suite("src/documents/workflow-text/capability-text");

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

test.run();
