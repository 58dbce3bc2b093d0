import fc from "fast-check";
import { Type } from "typebox";
import { parse } from "yaml";
import { parseCatalog } from "../../../../src/router/catalog/load.js";
import { readYaml } from "../../../../src/router/catalog/read-yaml.js";
import { RoutingPolicySchema } from "../../../../src/documents/policy.js";
import { ProjectSchema } from "../../../../store/project/project-file.js";
import { assert, test, throws } from "../../../support/test.js";

const catalog = (...fields: readonly string[]): Buffer =>
  Buffer.from(
    [
      "schema_version: 1",
      'catalog_version: "1"',
      "workflows:",
      "  - workflow_id: orders.find",
      '    version: "1"',
      "    name: Find an order",
      "    description: Says where an order is.",
      "    risk_tier: low",
      "    side_effect: read_only",
      ...fields.map((field) => `    ${field}`),
      "",
    ].join("\n"),
  );

const problem = (bytes: Buffer): string =>
  throws(() => parseCatalog(bytes, "catalog.yaml"), "DOCUMENT_INVALID").message;

const faults: readonly (readonly [what: string, field: string, message: string])[] = [
  [
    "a mistyped field",
    "exmaples: [a]",
    'line 10, column 5: /workflows/0: unknown field "exmaples"; did you mean "examples"?',
  ],
  ["one text instead of a list", "examples: where is it", "found a text of 11 characters, expected a list"],
  [
    "a name in an input that is no name",
    "required_inputs: [{ name: Order Id }]",
    'line 10, column 31: /workflows/0/required_inputs/0/name: found "Order Id", expected the form',
  ],
  ["an example that is empty", 'examples: ["fine", ""]', "line 10, column 24: /workflows/0/examples/1: is empty"],
  [
    "an owner that is a truth value",
    "owner: true",
    '/workflows/0/owner: found the word true, expected a text; write it in quotes: "true"',
  ],
  [
    "a status in capitals",
    "status: ACTIVE",
    'found "ACTIVE", expected one of active, disabled, deprecated; did you mean "active"?',
  ],
];

for (const [what, field, message] of faults) {
  test(`${what} is named with its place, what was found and what is allowed`, () => {
    assert.match(problem(catalog(field)), message);
  });
}

test("a missing field is named at its workflow", () => {
  const bytes = Buffer.from(catalog().toString().replace("    risk_tier: low\n", ""));
  assert.match(problem(bytes), 'line 4, column 5: /workflows/0: the field "risk_tier" is missing');
});

test("an id as published elsewhere is refused with the one to write", () => {
  const bytes = Buffer.from(catalog().toString().replace("orders.find", "CHECK_PINCODE"));
  assert.match(problem(bytes), 'line 4, column 18: /workflows/0/workflow_id: found "CHECK_PINCODE"');
  assert.match(problem(bytes), 'e.g. "check_pincode"');
});

test("a rule between fields is named with its place too", () => {
  const bytes = Buffer.from(catalog().toString().replace("read_only", "destructive"));
  const { message, details } = throws(() => parseCatalog(bytes, "c.yaml"), "CATALOG_INVALID");
  assert.match(message, "line 9, column 18: orders.find: side_effect destructive needs at least one exclusion");
  assert.is((details?.["problems"] as readonly string[] | undefined)?.length, 2);
});

test("examples are never repeated, for they can be texts of customers", () => {
  const secret = "my card number is secret";
  const message = problem(catalog(`examples: "${secret}"`, `capabilities: { a: "${secret}" }`));
  assert.not.match(message, "secret");
});

test("the files of a project and of a policy are explained the same way", () => {
  const project =
    "schema_version: 1\nname: a\ncatalog: c\nrequest: r\nmodels: { retriever: shipped, verifier: shipped }\nclaim: { population: this_catalogue, target: 1.5, confidence: 0.95 }\nseed: 1\n";
  const { message, details } = throws(
    () => readYaml(ProjectSchema, Buffer.from(project), "sluice.yaml"),
    "DOCUMENT_INVALID",
  );
  assert.match(message, 'line 4, column 1: (document): unknown field "request"; did you mean "requests"?');
  assert.match(
    message,
    'found "this_catalogue", expected one of this_catalog, new_workflows; did you mean "this_catalog"?',
  );
  assert.match(message, '/claim/target: found 1.5, expected "auto" or at most 1');
  const [first] = (details?.["problems"] ?? []) as readonly { readonly line: number; readonly column: number }[];
  assert.is(typeof first?.line, "number");
  const policy = throws(
    () => readYaml(RoutingPolicySchema, Buffer.from("top_q: 8\n"), "policy.yaml"),
    "DOCUMENT_INVALID",
  );
  assert.match(policy.message, 'line 1, column 1: (document): unknown field "top_q"; did you mean "top_k"?');
});

test("a value that fits no branch of a union is one problem that names the branches", () => {
  const read = (claim: string): unknown =>
    readYaml(ProjectSchema, Buffer.from(`schema_version: 1\nclaim:\n  target: ${claim}\n`), "sluice.yaml");
  const { message } = throws(() => read("5%"), "DOCUMENT_INVALID");
  assert.match(message, 'line 3, column 11: /claim/target: found "5%", expected "auto" or a number');
  assert.is(message.split("/claim/target").length, 2);
});

test("JSON has the value that a YAML parser reads in it, and a repeated name and deep nesting are refused", () => {
  const anything = Type.Object({ value: Type.Unknown() });
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify({ value }, null, indent);
      assert.equal(readYaml(anything, Buffer.from(text), "f.json"), parse(text, { version: "1.2" }));
    }),
    { numRuns: 300 },
  );
  const read = (text: string): unknown => readYaml(anything, Buffer.from(text), "f.json");
  assert.match(
    throws(() => read('{"value": {"a": 1, "a": 2}}'), "DOCUMENT_INVALID").message,
    /Map keys must be unique/,
  );
  throws(() => read(`{"value": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`), "DOCUMENT_INVALID");
});
