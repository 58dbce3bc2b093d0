import type { WorkflowId } from "../../../src/documents/primitives.js";
import { withExamples } from "../../../stages/catalog/edit-catalog.js";
import { assert, test, throws } from "../../support/test.js";

const workflow = (id: string, examples: readonly string[]): string =>
  [
    `  - workflow_id: ${id} # of the shop`,
    '    version: "1"',
    `    name: ${id} workflow`,
    `    description: Requests about ${id}.`,
    "    risk_tier: low",
    "    side_effect: read_only",
    ...(examples.length === 0 ? [] : ["    examples:", ...examples.map((text) => `      - ${text}`)]),
  ].join("\n");
const catalog = Buffer.from(
  [
    "# ours",
    "schema_version: 1",
    "catalog_version: c-1",
    "workflows:",
    workflow("shop.a", ["one", "two"]),
    workflow("shop.b", []),
    "",
  ].join("\n"),
);
const labelled = (workflow_id: string | null, text: string) => ({
  id: text,
  text,
  workflow_id: workflow_id as WorkflowId | null,
});
const examplesOf = (id: string, { document }: ReturnType<typeof withExamples>): readonly string[] | undefined =>
  document.workflows.find(({ workflow_id: workflowId }) => workflowId === id)?.examples;

test("examples are added once, and every comment stays", () => {
  const edited = withExamples(catalog, [
    labelled("shop.a", "two"),
    labelled("shop.b", "first"),
    labelled("shop.a", "where is: it?"),
  ]);
  assert.equal(examplesOf("shop.a", edited), ["one", "two", "where is: it?"]);
  assert.equal(examplesOf("shop.b", edited), ["first"]);
  assert.match(edited.bytes.toString("utf8"), /^# ours\n[\s\S]*workflow_id: shop\.a # of the shop/);
});

test("examples of a workflow with an empty list get a line each", () => {
  const empty = Buffer.from(`${catalog.toString("utf8")}    examples: []\n`);
  const { bytes } = withExamples(empty, [labelled("shop.b", "first"), labelled("shop.b", "second")]);
  assert.match(bytes.toString("utf8"), / {4}examples:\n {6}- first\n {6}- second\n$/);
});

test("texts that no workflow handles and long texts change nothing", () => {
  const edited = withExamples(catalog, [labelled(null, "sing"), labelled("shop.a", "long ".repeat(201))]);
  assert.is(edited.bytes.toString("utf8"), catalog.toString("utf8"));
});

test("a full list is not made longer, and a workflow that is gone is named", () => {
  const many = Array.from({ length: 60 }, (_, index) => labelled("shop.a", `text ${index}`));
  assert.is(examplesOf("shop.a", withExamples(catalog, many))?.length, 50);
  const gone = [labelled("shop.c", "x")];
  assert.match(throws(() => withExamples(catalog, gone), "CATALOG_INVALID").message, /no workflow shop\.c$/);
});
