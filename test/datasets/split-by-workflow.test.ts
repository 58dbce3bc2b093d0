import { suite } from "uvu";
import * as assert from "uvu/assert";
import { datasetOf } from "../../datasets/dataset-bytes.js";
import { foldOf, splitByWorkflow } from "../../datasets/split-by-workflow.js";
import { checkSchema } from "../../src/domain/check-schema.js";
import { clusterOf } from "../../src/domain/dataset.js";
import { folds, SplitSchema } from "../../src/domain/split.js";
import { seededRandom } from "../../src/stats/seeded-random.js";
import { throws } from "../support/rejects.js";
import { aRequest, aSplittableDataset } from "../support/score-cases.js";

const test = suite("datasets/split-by-workflow");
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
    (row) => row.workflowId === null || Number(row.workflowId.split(".")[1]) < 10 || row.id.endsWith("-0"),
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

test("keeps clusters that share a near-duplicate text in one fold", () => {
  const text = "please tell me when the parcel will be here";
  const copies = ["low.0", "high.3", null, "critical.7"].map((workflowId, i) =>
    aRequest({ id: `copy-${i}`, text: i % 2 === 0 ? text : `${text}!`, workflowId }),
  );
  for (const seed of [1, 2, 3, 4, 5]) {
    const fold = foldOf(splitByWorkflow({ dataset: datasetOf([...rows, ...copies]), catalog, seed }));
    assert.is(new Set(copies.map((row) => fold.get(clusterOf(row)))).size, 1);
  }
});

test("stratifies out-of-scope groups by their kind", () => {
  const kinds = rows.map((row, i) =>
    row.workflowId === null ? { ...row, slices: { oos: i % 10 === 0 ? "near" : "far" } } : row,
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

test("does not ask for workflows of a tier that has no labelled request", () => {
  const low = rows.filter((row) => row.workflowId?.startsWith("low.") ?? false);
  assert.is(splitByWorkflow({ dataset: datasetOf(low), catalog, seed: 1 }).folds.fit.workflows, 7);
});

test("refuses labels that the catalog lacks", () => {
  const strange = datasetOf([...rows, aRequest({ id: "strange", workflowId: "other.thing" })]);
  const error = throws(() => splitByWorkflow({ dataset: strange, catalog, seed: 1 }), "DATASET_INVALID");
  assert.match(error.message, /other\.thing/);
});

test("refuses fractions that are not positive with sum 1", () => {
  const bad = { fit: 0.5, tune: 0.5, certify: 0, eval: 0 };
  throws(() => splitByWorkflow({ dataset, catalog, seed: 1, fractions: bad }), "USAGE");
});

test.run();
