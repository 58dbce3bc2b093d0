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
    { kind: "add_examples", workflow_id: first, examples: ["two", "where is: it?"] },
    { kind: "add_examples", workflow_id: second, examples: ["first"] },
  ]);
  assert.equal(examplesOf("shop.a", edited), ["one", "two", "where is: it?"]);
  assert.equal(examplesOf("shop.b", edited), ["first"]);
  assert.match(edited.bytes.toString("utf8"), /^# ours\n[\s\S]*workflow_id: shop\.a # of the shop/);
});

test("no change gives the very same file", () => {
  assert.is(editCatalog(catalog, []).bytes.toString("utf8"), catalog.toString("utf8"));
});

test("an example moves, a merge takes over examples and removes the other workflow, a capability is added", () => {
  const moved = editCatalog(catalog, [{ kind: "move_example", from: first, to: second, example: "two" }]);
  assert.equal([examplesOf("shop.a", moved), examplesOf("shop.b", moved)], [["one"], ["two"]]);
  const merged = editCatalog(catalog, [{ kind: "merge", into: second, from: first }]);
  assert.equal([examplesOf("shop.a", merged), examplesOf("shop.b", merged)], [undefined, ["one", "two"]]);
  assert.is(merged.document.workflows[0]?.description, "Requests about shop.b. Requests about shop.a.");
  const described = editCatalog(catalog, [
    { kind: "describe", workflow_id: first, capability: "Requests that mention it." },
  ]);
  assert.equal(described.document.workflows[0]?.capabilities, ["Requests that mention it."]);
});

test("a full list is not made longer, and a workflow that is gone is named", () => {
  const many = Array.from({ length: 60 }, (_, index) => `text ${index}`);
  const full = editCatalog(catalog, [{ kind: "add_examples", workflow_id: first, examples: many }]);
  assert.is(examplesOf("shop.a", full)?.length, 50);
  const gone = [
    { kind: "merge", into: second, from: first },
    { kind: "add_examples", workflow_id: first, examples: ["x"] },
  ] as const;
  assert.match(throws(() => editCatalog(catalog, gone), "CATALOG_INVALID").message, /no workflow shop\.a$/);
});
