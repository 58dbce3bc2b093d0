import { catalogWithout, type Removal, workflowsToRemove } from "../../datasets/remove-workflows.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, test, throws } from "../support/test.js";
import { anInput } from "../support/builders.js";
import { aCatalog, aRequest, aSplittableDataset, aWorkflow } from "../support/score-cases.js";

const { rows, catalog } = aSplittableDataset({ workflowsPerTier: 10, requests: 2, outOfScope: 4 });
const remove = (removal: Removal, by = "workflow", seed = 1) => workflowsToRemove({ rows, catalog, removal, by, seed });

test("draws the share within each tier, by seed alone", () => {
  const removed = remove({ kind: "share", share: 0.2 });
  for (const tier of ["low", "medium", "high", "critical"]) {
    assert.is(removed.filter((id) => id.startsWith(`${tier}.`)).length, 2, tier);
  }
  const shuffled = { rows: seededRandom(4).shuffle(rows), catalog, by: "workflow", seed: 1 };
  assert.equal(workflowsToRemove({ ...shuffled, removal: { kind: "share", share: 0.2 } }), removed);
  assert.not.equal(remove({ kind: "share", share: 0.2 }, "workflow", 2), removed);
});

test("draws the share within each domain when the split is by domain", () => {
  const domains = rows.map((row) => ({
    ...row,
    ...(row.workflow_id === null ? {} : { slices: { domain: row.workflow_id.endsWith("0") ? "few" : "many" } }),
  }));
  const removal = { kind: "share", share: 0.25 } as const;
  const removed = workflowsToRemove({ rows: domains, catalog, removal, by: "domain", seed: 1 });
  assert.is(removed.filter((id) => id.endsWith("0")).length, 1);
  assert.is(removed.length, 1 + 9);
});

test("names are workflows, domains or services", () => {
  const own = [aRequest({ id: "1", slices: { service: "Shop_1" } }), aRequest({ id: "2", workflow_id: "bank.pay" })];
  const small = aCatalog([
    aWorkflow(),
    aWorkflow({ workflow_id: "bank.pay" }),
    aWorkflow({ workflow_id: "bank.send" }),
  ]);
  const named = (...names: readonly string[]) =>
    workflowsToRemove({ rows: own, catalog: small, removal: { kind: "names", names }, by: "workflow", seed: 1 });
  assert.equal(named("bank.pay"), ["bank.pay"]);
  assert.equal(named("bank", "bank.pay"), ["bank.pay", "bank.send"]);
  assert.equal(named("Shop_1"), ["orders.find"]);
  assert.match(throws(() => named("nobody"), "USAGE").message, 'no workflow, service or domain is called "nobody"');
});

test("refuses to remove nothing or everything", () => {
  assert.match(throws(() => remove({ kind: "share", share: 0.01 }), "USAGE").message, "0 of 40 workflows");
  throws(() => remove({ kind: "share", share: 1 }), "USAGE");
});

test("the catalog without them has the other workflows as they were, under another version", () => {
  const workflows = [
    aWorkflow({ required_inputs: [anInput({ pattern: "[0-9]+" })], optional_inputs: [anInput({ name: "note" })] }),
    aWorkflow({ workflow_id: "gone" }),
    aWorkflow({ workflow_id: "nobody", owner: null, event_types: ["a.b"], metadata: { some_key: 1 } }),
  ];
  const before = aCatalog(workflows);
  const bytes = canonicalBytes(catalogWithout(before, new Set(["gone"])));
  const after = parseCatalog(bytes, "catalog");
  assert.is(after.catalog_version, "test-without-1");
  assert.equal(after.workflows, [workflows[0], workflows[2]]);
});
