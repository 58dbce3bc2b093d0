import {
  capabilityText,
  serializerIdentity,
  goldenWorkflows,
} from "../../../../src/documents/workflow-text/identity.js";
import { contractText } from "../../../../src/documents/workflow-text/contract-text.js";
import { assert, test } from "../../../support/test.js";

const [ordinary, overlong, minimal] = goldenWorkflows.map((workflow) => ({
  capability: capabilityText(workflow),
  ...contractText(workflow),
}));

test("the ordinary golden workflow reads like this", () => {
  assert.equal(ordinary, {
    capability: "Golden name. A description over two lines. First capability. Zweite Fähigkeit.",
    text: [
      "NAME: Golden name",
      "DESCRIPTION: A description over two lines.",
      "EXCLUDES: What it does not do; Nor this",
      "REQUIRES: order_number: Number of the order; bare",
      "CAPABILITIES: First capability; Zweite Fähigkeit",
      "EFFECT: external write",
      "EXAMPLES: an example; another example",
    ].join("\n"),
    cut: [],
  });
});

test("the minimal golden workflow reads like this", () => {
  assert.equal(minimal, {
    capability: "Minimal. Has no more than it must.",
    text: "NAME: Minimal\nDESCRIPTION: Has no more than it must.\nEFFECT: read only",
    cut: [],
  });
});

test("the overlong golden workflow retains its name, a part of every exclusion and every required input", () => {
  const lines = overlong?.text.split("\n") ?? [];
  const exclusion = `A case that it must never be used for, said at length A case that it must never be used for, said at length A case`;
  const input = ": what the caller must know about it what the";
  assert.equal(overlong?.cut, ["DESCRIPTION", "EXCLUDES", "REQUIRES", "CAPABILITIES", "EXAMPLES"]);
  assert.is(lines[0], "NAME: Überlange Verträge");
  assert.is(lines[2], `EXCLUDES: Short one; ${Array.from({ length: 4 }, () => exclusion).join("; ")}`);
  assert.is(lines[3], `REQUIRES: ${Array.from({ length: 8 }, (_, index) => `input_${index + 1}${input}`).join("; ")}`);
  assert.is(lines[6], `EXAMPLES: ${"🙂".repeat(160)}`);
});

test("the identity is a golden digest: another digest needs another serializer version", () => {
  assert.equal(serializerIdentity(), {
    version: "contract-2",
    goldenSha256: "e81815006bdd1d557ac7b4b84b0dea4653b67502fc72a8f3b57a8b10b7272cb0",
  });
});
