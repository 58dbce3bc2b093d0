import type { WorkflowId } from "../../src/documents/primitives.js";
import { datasetOf } from "../../datasets/dataset-bytes.js";
import { foldOf, splitByWorkflow, splitsOf } from "../../datasets/split-by-workflow.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { clusterOf } from "../../src/documents/dataset.js";
import { SplitSchema } from "../../src/documents/split.js";
import { folds } from "../../src/documents/choices.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, test, throws } from "../support/test.js";
import { aRequest, aSplittableDataset, digestOf } from "../support/score-cases.js";

const { rows, catalog } = aSplittableDataset({ workflowsPerTier: 20, requests: 9, outOfScope: 200 });
const dataset = datasetOf(rows);

test("gives every cluster exactly one fold and counts its rows", () => {
  const split = splitByWorkflow({ dataset, catalog, seed: 1 });
  checkSchema(SplitSchema, split, "split");
  const listed = folds.flatMap((fold) => split.folds[fold].clusters);
  assert.equal([...listed].sort(), [...new Set(rows.map(clusterOf))].sort());
  assert.is(
    folds.reduce((sum, fold) => sum + split.folds[fold].requests, 0),
    rows.length,
  );
  assert.is(split.dataset_sha256, dataset.sha256);
  assert.is(split.catalog_sha256, catalog.sha256);
});

test("holds the fractions in every tier and among out-of-scope groups", () => {
  const split = splitByWorkflow({ dataset, catalog, seed: 1 });
  const shares = { fit: 7, tune: 3, certify: 6, eval: 4 };
  for (const fold of folds) {
    for (const tier of ["low", "medium", "high", "critical"]) {
      const found = split.folds[fold].clusters.filter((cluster) => cluster.startsWith(`workflow:${tier}.`));
      assert.is(found.length, shares[fold], `${tier} in ${fold}`);
    }
    assert.is(split.folds[fold].out_of_scope, shares[fold] * 10);
    assert.is(split.folds[fold].workflows, shares[fold] * 4);
  }
});

test("spreads large and small workflows over the folds", () => {
  const sized = rows.filter(
    (row) => row.workflow_id === null || Number(row.workflow_id.split(".")[1]) < 10 || row.id.endsWith("-0"),
  );
  const split = splitByWorkflow({ dataset: datasetOf(sized), catalog, seed: 3 });
  for (const fold of folds) {
    const large = split.folds[fold].clusters.filter((cluster) => /^workflow:low\.\d$/.test(cluster));
    assert.ok(large.length > 0, `${fold} has a large workflow`);
  }
});

test("is the same for the same seed whatever the order of the rows, and another for another seed", () => {
  const split = splitByWorkflow({ dataset, catalog, seed: 1 });
  const shuffled = { ...dataset, rows: seededRandom(9).shuffle(rows) };
  assert.equal(splitByWorkflow({ dataset: shuffled, catalog, seed: 1 }), split);
  assert.not.equal(splitByWorkflow({ dataset, catalog, seed: 2 }).folds, split.folds);
});

test("places clusters that share a near-duplicate text in one fold", () => {
  const text = "please tell me when the parcel will be here";
  const copies = ["low.0", "high.3", null, "critical.7"].map((workflowId, i) =>
    aRequest({ id: `copy-${i}`, text: i % 2 === 0 ? text : `${text}!`, workflow_id: workflowId }),
  );
  for (const seed of [1, 2, 3, 4, 5]) {
    const fold = foldOf(splitByWorkflow({ dataset: datasetOf([...rows, ...copies]), catalog, seed }));
    assert.is(new Set(copies.map((row) => fold.get(clusterOf(row)))).size, 1);
  }
});

test("stratifies out-of-scope groups by their kind", () => {
  const kinds = rows.map((row, i) =>
    row.workflow_id === null ? { ...row, slices: { oos: i % 10 === 0 ? "near" : "far" } } : row,
  );
  const near = new Set(kinds.filter((row) => row.slices?.["oos"] === "near").map(clusterOf));
  assert.is(near.size, 20);
  const split = splitByWorkflow({ dataset: datasetOf(kinds), catalog, seed: 1 });
  const counts = folds.map((fold) => split.folds[fold].clusters.filter((cluster) => near.has(cluster)).length);
  assert.equal(counts, [7, 3, 6, 4]);
});

test("refuses a tier without a workflow in tune, with the counts", () => {
  const few = aSplittableDataset({ workflowsPerTier: 3, requests: 2, outOfScope: 0 });
  const error = throws(
    () => splitByWorkflow({ dataset: datasetOf(few.rows), catalog: few.catalog, seed: 1 }),
    "SPLIT_TOO_SMALL",
  );
  assert.match(error.message, /tier low has 3 workflows: fit 1, tune 0, certify 1, eval 1/);
});

test("requires no workflows of a tier that has no labelled request", () => {
  const low = rows.filter((row) => row.workflow_id?.startsWith("low.") ?? false);
  assert.is(splitByWorkflow({ dataset: datasetOf(low), catalog, seed: 1 }).folds.fit.workflows, 7);
});

test("refuses labels that the catalog lacks", () => {
  const strange = datasetOf([...rows, aRequest({ id: "strange", workflow_id: "other.thing" })]);
  const error = throws(() => splitByWorkflow({ dataset: strange, catalog, seed: 1 }), "DOCUMENT_INVALID");
  assert.match(error.message, /other\.thing/);
});

test("refuses fractions that are not positive with sum 1", () => {
  const bad = { fit: 0.5, tune: 0.5, certify: 0, eval: 0 };
  throws(() => splitByWorkflow({ dataset, catalog, seed: 1, fractions: bad }), "USAGE");
});

/** Domains of five workflows each over all tiers. */
const domainOf = (workflowId: string | null): string | null =>
  workflowId === null ? null : `d${Math.floor(Number(workflowId.split(".")[1]) / 5)}-${workflowId.split(".")[0]}`;
const withDomains = rows.map((row) => {
  const domain = domainOf(row.workflow_id);
  return domain === null ? row : { ...row, slices: { domain } };
});

test("by domain, no two folds share a domain, nor a workflow", () => {
  const split = splitByWorkflow({ dataset: datasetOf(withDomains), catalog, seed: 1, by: "domain" });
  checkSchema(SplitSchema, split, "split");
  assert.is(split.disjoint_by, "domain");
  const fold = foldOf(split);
  const foldsOfDomain = new Map<string, Set<string>>();
  for (const row of withDomains) {
    const domain = row.slices?.["domain"];
    if (domain === undefined) continue;
    foldsOfDomain.set(domain, (foldsOfDomain.get(domain) ?? new Set()).add(fold.get(clusterOf(row)) ?? ""));
  }
  assert.is(foldsOfDomain.size, 16);
  assert.ok([...foldsOfDomain.values()].every((found) => found.size === 1));
  assert.is(new Set(fold.values()).size, 4);
});

test("a slice that runs through all workflows joins them, and the split is refused as too small", () => {
  const everywhere = rows.map((row) => ({ ...row, slices: { customer: "one" } }));
  throws(
    () => splitByWorkflow({ dataset: datasetOf(everywhere), catalog, seed: 1, by: "customer" }),
    "SPLIT_TOO_SMALL",
  );
});

test("removed workflows are out of scope in every fold, and count in no tier", () => {
  const removed = {
    from_catalog_sha256: digestOf(2),
    workflows: ["critical.0", "critical.1", "high.0", "low.0", "low.1"] as WorkflowId[],
  };
  const left = catalog.workflows.filter(({ workflow_id: workflowId }) => !removed.workflows.includes(workflowId));
  const split = splitByWorkflow({ dataset, catalog: { ...catalog, workflows: left }, seed: 1, removed });
  checkSchema(SplitSchema, split, "split");
  assert.equal(split.removed, removed);
  const total = folds.reduce((sum, fold) => sum + split.folds[fold].workflows, 0);
  assert.is(total, 75);
  assert.is(
    folds.reduce((sum, fold) => sum + split.folds[fold].out_of_scope, 0),
    200 + 5 * 9,
  );
  throws(() => splitByWorkflow({ dataset, catalog: { ...catalog, workflows: left }, seed: 1 }), "DOCUMENT_INVALID");
});

test("in each repeat of a cross-validation every workflow is in EVAL once, and each assignment is a split", () => {
  const split = splitByWorkflow({ dataset, catalog, seed: 1, crossValidation: { parts: 5, repeats: 2 } });
  checkSchema(SplitSchema, split, "split");
  const assignments = split.cross_validation?.assignments ?? [];
  assert.equal(
    assignments.map(({ repeat, rotation }) => [repeat, rotation]),
    [0, 1].flatMap((repeat) => [0, 1, 2, 3, 4].map((rotation) => [repeat, rotation])),
  );
  assert.equal(split.folds, assignments[0]?.folds);
  const all = [...new Set(rows.map(clusterOf))].sort();
  for (const repeat of [0, 1]) {
    const evaluated = assignments.filter((a) => a.repeat === repeat).flatMap((a) => a.folds.eval.clusters);
    assert.equal([...evaluated].sort(), all);
  }
  for (const single of splitsOf(split)) {
    checkSchema(SplitSchema, single, "assignment");
    assert.is(single.cross_validation, undefined);
    assert.equal([...foldOf(single).keys()].sort(), all);
    const counts = folds.map((fold) => single.folds[fold].workflows);
    assert.equal(counts, [32, 16, 16, 16], "two of five parts fit");
  }
  assert.not.equal(assignments[5]?.folds.eval, assignments[0]?.folds.eval, "another repeat is another draw");
  const few = { parts: 3, repeats: 1 };
  throws(() => splitByWorkflow({ dataset, catalog, seed: 1, crossValidation: few }), "USAGE");
});
