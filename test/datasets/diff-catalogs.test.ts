import { diffLines } from "../../cli/commands/catalog/diff.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { diffCatalogs } from "../../datasets/diff-catalogs.js";
import { assert, test } from "../support/test.js";
import { smallCatalog } from "../cli/support/small-catalog.js";

const diff = (before: string, after: string) =>
  diffCatalogs(parseCatalog(Buffer.from(before), "a"), parseCatalog(Buffer.from(after), "b"));

const withExamples = (...examples: readonly string[]): string =>
  smallCatalog.replace("    owner: orders\n", `    owner: orders\n    examples: ${JSON.stringify(examples)}\n`);

test("a catalog does not differ from itself, nor from itself with defaults written out", () => {
  const written = smallCatalog.replace(
    "    owner: orders\n",
    "    owner: orders\n    status: active\n    examples: []\n",
  );
  const same = { added: [], removed: [], renamed: [], changed: [], unchanged: 2 };
  assert.equal(diff(smallCatalog, smallCatalog), same);
  assert.equal(diff(smallCatalog, written), same);
});

test("values change from one to another, lists by entry, and reordering is a separate change", () => {
  const after = withExamples("where is it", "parcel?").replace("risk_tier: low", "risk_tier: medium");
  const { changed, unchanged } = diff(withExamples("where is it", "when"), after);
  assert.is(unchanged, 1);
  assert.equal(changed, [
    {
      workflow_id: "orders.track",
      changes: [
        { kind: "value", field: "risk_tier", from: "low", to: "medium" },
        { kind: "entries", field: "examples", added: ["parcel?"], removed: ["when"], reordered: false },
      ],
    },
  ]);
  const [order] = diff(withExamples("a", "b"), withExamples("b", "a")).changed;
  assert.equal(order?.changes, [{ kind: "entries", field: "examples", added: [], removed: [], reordered: true }]);
});

test("added, removed and renamed workflows are distinguished, and the text lists them all", () => {
  const renamed = smallCatalog
    .replace("orders.track", "orders.find")
    .replace("workflow_id: orders.cancel", "workflow_id: orders.stop")
    .replace("Cancel an order", "Stop an order");
  const found = diff(smallCatalog, renamed);
  assert.equal(
    [found.added, found.removed, found.renamed],
    [["orders.stop"], ["orders.cancel"], [{ from: "orders.track", to: "orders.find" }]],
  );
  assert.equal(diffLines(found), [
    "workflows: 1 added, 1 removed, 1 renamed, 0 changed, 0 unchanged",
    "+ orders.stop",
    "- orders.cancel",
    "= orders.track is now orders.find",
  ]);
});
