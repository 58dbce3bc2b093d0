import { CatalogFileSchema } from "../../../src/documents/catalog.js";
import { checkSchema, matchesSchema, schemaProblems } from "../../../src/documents/check-schema.js";
import { DatasetRowSchema } from "../../../src/documents/dataset.js";
import { RoutingPolicySchema, defaultPolicy } from "../../../src/documents/policy.js";
import { RouteRequestSchema } from "../../../src/documents/request.js";
import { assert, test, throws } from "../../support/test.js";

const paths = (value: unknown, schema = RouteRequestSchema): readonly string[] =>
  schemaProblems(schema, value).map((problem) => problem.path);

test("a value that satisfies its schema has no problems and keeps its identity", () => {
  assert.is(checkSchema(RoutingPolicySchema, defaultPolicy, "policy"), defaultPolicy);
  assert.ok(matchesSchema(RouteRequestSchema, { text: "x" }));
  assert.not.ok(matchesSchema(RouteRequestSchema, { text: "" }));
});

const requests: readonly (readonly [name: string, body: unknown, path: string])[] = [
  ["no object", [], ""],
  ["null", null, ""],
  ["no text", {}, ""],
  ["an empty text", { text: "" }, "/text"],
  ["a text of 8,001 characters", { text: "x".repeat(8001) }, "/text"],
  ["a number as text", { text: 1 }, "/text"],
  ["an unknown field", { text: "x", colour: "red" }, ""],
  ["a request id that begins with a dot", { text: "x", request_id: ".a" }, "/request_id"],
  ["a list as context", { text: "x", context: [] }, "/context"],
  ["an id with capitals", { text: "x", allowed_workflow_ids: ["abc", "ABC"] }, "/allowed_workflow_ids/1"],
  ["a duplicate id", { text: "x", blocked_workflow_ids: ["abc", "abc"] }, "/blocked_workflow_ids"],
  ["null as blocked ids", { text: "x", blocked_workflow_ids: null }, "/blocked_workflow_ids"],
  ["an event that begins with a digit", { text: "x", event_type: "1a" }, "/event_type"],
  ["a word as debug", { text: "x", debug: "yes" }, "/debug"],
];

for (const [name, body, path] of requests) {
  test(`${name} is refused at ${path === "" ? "the document" : path}`, () => {
    assert.ok(paths(body).includes(path), paths(body).join(" "));
  });
}

const accepted: readonly unknown[] = [
  { text: "x".repeat(8000) },
  { text: "x", request_id: null, catalog_version: null, allowed_workflow_ids: null, event_type: null },
  { text: "x", allowed_workflow_ids: [], blocked_workflow_ids: [], context: { any: [1, null] }, debug: true },
];

for (const [index, body] of accepted.entries()) {
  test(`accepted request ${index + 1}`, () => assert.equal(schemaProblems(RouteRequestSchema, body), []));
}

test("problems name path and rule, and never a value", () => {
  const secret = "SECRET-VALUE-41";
  const row = { id: "1", text: 7, workflow_id: secret, expected_decision: secret, slices: { a: 1 } };
  const error = throws(() => checkSchema(DatasetRowSchema, row, "requests.jsonl:3"), "DOCUMENT_INVALID");
  for (const path of ["/text", "/workflow_id", "/expected_decision", "/slices/a"]) {
    assert.ok(error.message.includes(path), path);
  }
  assert.match(error.message, /^requests\.jsonl:3: /);
  assert.not.ok(JSON.stringify([error.message, error.details, error.hint]).includes(secret));
});

test("an unknown field is named once, at the object that holds it", () => {
  const found = schemaProblems(RouteRequestSchema, { text: "x", colour: 1, size: 2 });
  assert.equal(found, [{ path: "", rule: 'unknown field "colour", "size"' }]);
});

test("the code is the caller's, and the number of problems is limited", () => {
  const workflows = Array.from({ length: 50 }, () => ({}));
  const document = { schema_version: 1, catalog_version: "c", workflows };
  assert.is(schemaProblems(CatalogFileSchema, document).length, 8);
  const error = throws(() => checkSchema(CatalogFileSchema, document, "catalog", "MODEL_INVALID"), "MODEL_INVALID");
  assert.match(error.message, /; there may be more$/);
});
