import type { WorkflowId } from "../../../src/documents/primitives.js";
import { editCatalog } from "../../../stages/suggest/edit-catalog.js";
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
const [first, second] = ["shop.a" as WorkflowId, "shop.b" as WorkflowId];
const examplesOf = (id: string, { document }: ReturnType<typeof editCatalog>): readonly string[] | undefined =>
  document.workflows.find(({ workflow_id: workflowId }) => workflowId === id)?.examples;

test("examples are added once, and every comment stays", () => {
  const edited = editCatalog(catalog, [
    { workflow_id: first, examples: ["two", "where is: it?"] },
    { workflow_id: second, examples: ["first"] },
  ]);
  assert.equal(examplesOf("shop.a", edited), ["one", "two", "where is: it?"]);
  assert.equal(examplesOf("shop.b", edited), ["first"]);
  assert.match(edited.bytes.toString("utf8"), /^# ours\n[\s\S]*workflow_id: shop\.a # of the shop/);
});

test("no change gives the very same file", () => {
  assert.is(editCatalog(catalog, []).bytes.toString("utf8"), catalog.toString("utf8"));
});

test("a full list is not made longer, and a workflow that is gone is named", () => {
  const many = Array.from({ length: 60 }, (_, index) => `text ${index}`);
  const full = editCatalog(catalog, [{ workflow_id: first, examples: many }]);
  assert.is(examplesOf("shop.a", full)?.length, 50);
  const gone = [{ workflow_id: "shop.c" as WorkflowId, examples: ["x"] }];
  assert.match(throws(() => editCatalog(catalog, gone), "CATALOG_INVALID").message, /no workflow shop\.c$/);
});
