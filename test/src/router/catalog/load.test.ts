import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { productionProblemLines } from "../../../../src/router/catalog/rules.js";
import { loadCatalog, parseCatalog, requireProductionCatalog } from "../../../../src/router/catalog/load.js";
import { readYaml } from "../../../../src/router/catalog/read-yaml.js";
import { sha256Hex } from "../../../../src/base/sha256.js";
import { sideEffects } from "../../../../src/documents/catalog.js";
import { riskTiers } from "../../../../src/documents/choices.js";
import { RoutingPolicySchema } from "../../../../src/documents/policy.js";
import { assert, packageRoot, rejects, test, throws } from "../../../support/test.js";

const head = "schema_version: 1\ncatalog_version: c-1\nworkflows:\n";
const entry = (lines: readonly string[] = [], id = "orders.status"): string =>
  [
    `  - workflow_id: ${id}`,
    "    version: 1.0.0",
    "    name: Order status",
    "    description: Tells where an order is.",
    "    risk_tier: low",
    ...(lines.some((line) => line.startsWith("side_effect")) ? [] : ["    side_effect: read_only"]),
    ...lines.map((line) => `    ${line}`),
    "",
  ].join("\n");
const parse = (text: string) => parseCatalog(Buffer.from(text, "utf8"), "catalog.yaml");
const one = (...lines: readonly string[]) => parse(head + entry(lines));

test("fields that the file leaves out have defaults", () => {
  const [workflow] = one().workflows;
  assert.equal(workflow, {
    workflow_id: "orders.status",
    version: "1.0.0",
    name: "Order status",
    description: "Tells where an order is.",
    owner: null,
    status: "active",
    risk_tier: "low",
    side_effect: "read_only",
    confirmation: "never",
    capabilities: [],
    exclusions: [],
    examples: [],
    required_inputs: [],
    optional_inputs: [],
    event_types: [],
    metadata: {},
  });
  const [input] = one("required_inputs: [{ name: city }]").workflows[0]?.required_inputs ?? [];
  assert.equal(input, { name: "city", description: "", aliases: [], pattern: null });
});

test("the identity of a catalog is the digest of its bytes", () => {
  const text = head + entry();
  assert.is(parse(text).sha256, sha256Hex(text));
  assert.is.not(parse(`${text}# a comment\n`).sha256, parse(text).sha256);
});

test("JSON is a catalog too", () => {
  const workflow = {
    workflow_id: "orders.status",
    version: "1.0.0",
    name: "Order status",
    description: "Tells where an order is.",
    risk_tier: "low",
    side_effect: "read_only",
  };
  const catalog = parse(JSON.stringify({ schema_version: 1, catalog_version: "c-1", workflows: [workflow] }));
  assert.equal(catalog.workflows, parse(head + entry()).workflows);
});

const syntaxFaults: readonly (readonly [name: string, text: string, says: RegExp])[] = [
  ["a tab", `${head + entry()}\tname: x\n`, /line 10, column 1/],
  ["a key given twice", head + entry(["name: Again"]), /line 10, column 5: Map keys must be/],
  ["an open quote", `${head}  - workflow_id: "open\n`, /line \d+/],
  ["two documents", `${head + entry()}---\nsecond: 1\n`, /line 10, column 1: Source contains multiple documents/],
  ["an alias", head + entry(["metadata: { first: &x [1], second: *x }"]), /alias/],
  ["nesting without end", `workflows: ${"[".repeat(20_000)}`, /not well-formed YAML at line 1/],
];

for (const [name, text, says] of syntaxFaults) {
  test(`${name} is a syntax error that says where`, () => {
    const error = throws(() => parse(text), "DOCUMENT_INVALID");
    assert.match(error.message, says);
    assert.match(error.message, /^catalog\.yaml: /);
  });
}

test("bytes that are not UTF-8 are refused", () => {
  const bytes = Buffer.concat([Buffer.from(head + entry(["owner: "])), Buffer.from([0xff, 0xfe])]);
  assert.match(throws(() => parseCatalog(bytes, "catalog.yaml"), "DOCUMENT_INVALID").message, /UTF-8/);
});

const schemaFaults: readonly (readonly [name: string, text: string, says: RegExp])[] = [
  ["an unknown field", head + entry(["colour: red"]), /\/workflows\/0: unknown field "colour"/],
  ["an unknown field of an input", head + entry(["required_inputs: [{ name: a, kind: b }]"]), /"kind"/],
  ["an unknown field at the top", `${head + entry()}owner: me\n`, /\(document\): unknown field "owner"/],
  [
    "a version that is a number",
    head + entry().replace("1.0.0", "1.0"),
    /line \d+, column \d+: \/workflows\/0\/version: found the number 1, expected a text; write it in quotes: "1"/,
  ],
  ["an unknown tier", head + entry().replace("tier: low", "tier: tiny"), /\/workflows\/0\/risk_tier/],
  ["an id with capitals", head + entry([], "Orders.Status"), /\/workflows\/0\/workflow_id/],
  ["an id that is too short", head + entry([], "ab"), /\/workflows\/0\/workflow_id/],
  ["no workflow", `${head}  []\n`, /\/workflows/],
  ["an empty file", "", /\(document\): found nothing, expected fields with values/],
  ["another schema version", head.replace("1", "2") + entry(), /\/schema_version/],
];

for (const [name, text, says] of schemaFaults) {
  test(`${name} is refused with its path`, () => {
    assert.match(throws(() => parse(text), "DOCUMENT_INVALID").message, says);
  });
}

const ruleFaults: readonly (readonly [name: string, text: string, says: RegExp])[] = [
  ["a duplicate id", head + entry() + entry(), /workflows\[1\]: duplicate workflow_id "orders\.status"/],
  [
    "a duplicate id of an inactive workflow",
    head + entry() + entry(["status: disabled"]),
    /workflows\[1\]: duplicate workflow_id/,
  ],
  ...(["external_write", "destructive"] as const).flatMap((effect) => [
    [
      `${effect} without an exclusion`,
      head + entry([`side_effect: ${effect}`, "confirmation: always"]),
      new RegExp(`orders\\.status: side_effect ${effect} needs at least one exclusion`),
    ] as const,
    [
      `${effect} without a confirmation`,
      head + entry([`side_effect: ${effect}`, "exclusions: [Something else]"]),
      new RegExp(`orders\\.status: side_effect ${effect} needs a confirmation`),
    ] as const,
  ]),
  [
    "an input name used twice",
    head + entry(["required_inputs: [{ name: city }]", "optional_inputs: [{ name: city }]"]),
    /orders\.status: two inputs have the same name/,
  ],
  ...(
    [
      ["a lookahead", "(?=a)b", "a lookahead .*linear-time engine"],
      ["a back reference", "(a)\\1", "a back reference.*linear-time engine"],
      ["an open group", "(a", "linear-time engine"],
      ["nested repetition beyond the engine's limit", "((a{100}){100}){100}", "linear-time engine"],
      ["a pattern that is too expensive", "[a-z ]{0,1000}[a-z ]{0,1000}!", "too expensive: \\d+ instructions"],
    ] as const
  ).map(
    ([name, pattern, why]) =>
      [
        name,
        head + entry([`required_inputs: [{ name: city, pattern: '${pattern}' }]`]),
        new RegExp(`orders\\.status: pattern of input "city" (?:is|uses) .*${why}`),
      ] as const,
  ),
];

for (const [name, text, says] of ruleFaults) {
  test(`${name} is refused and the workflow is named`, () => {
    assert.match(throws(() => parse(text), "CATALOG_INVALID").message, says);
  });
}

test("a write that names an exclusion and a confirmation is accepted, and so is a nested quantifier", () => {
  one("side_effect: destructive", "exclusions: [Something else]", "confirmation: always");
  one("required_inputs: [{ name: city, pattern: '(?P<value>(a+)+)$' }]");
});

test("every broken rule is reported at once", () => {
  const text = head + entry(["side_effect: destructive"]) + entry();
  const error = throws(() => parse(text), "CATALOG_INVALID");
  assert.is(error.message.split("; ").length, 3);
});

test("production needs an owner and events that name one active workflow", () => {
  const owned = (id: string, ...lines: readonly string[]) => entry(["owner: team", ...lines], id);
  requireProductionCatalog(parse(head + owned("first.one", "event_types: [a.b]") + owned("second.one")));
  requireProductionCatalog(parse(head + owned("first.one") + entry(["status: disabled"], "second.one")));

  const bad = head + entry(["owner: unknown"], "first.one") + entry(["event_types: [a.b]"], "second.one");
  const error = throws(
    () => requireProductionCatalog(parse(bad + owned("third.one", "event_types: [a.b]"))),
    "CATALOG_NOT_PRODUCTION",
  );
  assert.equal(error.details?.["problems"], [
    "2 workflows have no owner: first.one, second.one",
    'event_type "a.b" is declared by both second.one and third.one',
  ]);
});

test("workflows without an owner share one line, whatever their number, and a single one says what was found", () => {
  const many = Array.from({ length: 7 }, (_, index) => entry([], `first.w${index}`)).join("");
  assert.equal(productionProblemLines(parse(head + many)), [
    "7 workflows have no owner: first.w0, first.w1, first.w2, first.w3, first.w4 and 2 more",
  ]);
  assert.equal(productionProblemLines(parse(head + entry(["owner: unknown"], "first.one"))), [
    'first.one: no owner: the field "owner" says "unknown"',
  ]);
});

test("a file that is missing, a folder and a file that is too large have codes of their own", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-catalog-"));
  try {
    await rejects(loadCatalog(join(folder, "none.yaml")), "FILE_NOT_FOUND");
    await rejects(loadCatalog(folder), "READ_FAILED");
    const file = join(folder, "catalog.yaml");
    writeFileSync(file, head + entry());
    const { catalog, bytes } = await loadCatalog(file);
    assert.is(catalog.sha256, sha256Hex(bytes));
    throws(() => parseCatalog(Buffer.alloc(32 * 1024 * 1024 + 1, " "), "catalog.yaml"), "TOO_LARGE");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the shipped catalog has 112 workflows, every tier and side effect, and is fit for production", async () => {
  const { catalog } = await loadCatalog(join(packageRoot, "datasets/service-desk/catalog.yaml"));
  assert.is(catalog.workflows.length, 112);
  for (const tier of riskTiers) assert.ok(catalog.workflows.some((workflow) => workflow.risk_tier === tier));
  for (const effect of sideEffects) assert.ok(catalog.workflows.some((workflow) => workflow.side_effect === effect));
  requireProductionCatalog(catalog);
});

test("a value outside of a closed set names its place, the values that are allowed and the nearest one", () => {
  const yaml = [
    "schema_version: 1",
    'catalog_version: "1"',
    "workflows:",
    "  - workflow_id: orders.find",
    "    risk_tier: lwo",
    "  - { workflow_id: orders.cancel, side_effect: writes }",
  ].join("\n");
  const error = throws(() => parseCatalog(Buffer.from(yaml), "catalog.yaml"), "DOCUMENT_INVALID");
  const all = error.message;
  assert.match(
    all,
    'line 5, column 16: /workflows/0/risk_tier: found "lwo", expected one of low, medium, high, critical; did you mean "low"?',
  );
  const policy = throws(
    () => readYaml(RoutingPolicySchema, Buffer.from('{\n  "schema_version": 1,\n  "top": 1\n}'), "p"),
    "DOCUMENT_INVALID",
  );
  assert.match(policy.message, 'line 3, column 3: (document): unknown field "top"');
});
