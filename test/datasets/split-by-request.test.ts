import { datasetOf } from "../../datasets/dataset-bytes.js";
import { foldOf, splitByWorkflow } from "../../datasets/split-by-workflow.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { foldOfRow, SplitSchema, type Split } from "../../src/documents/split.js";
import { folds } from "../../src/documents/choices.js";
import { groupBy } from "../../src/base/group-by.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, test, throws } from "../support/test.js";
import { aRequest, aSplittableDataset } from "../support/score-cases.js";

const { rows, catalog } = aSplittableDataset({ workflowsPerTier: 4, requests: 20, outOfScope: 40 });
const dataset = datasetOf(rows);
const split = splitByWorkflow({ dataset, catalog, seed: 1, by: "request" });

const foldIn = (of: Split) => {
  const known = foldOf(of);
  return (row: (typeof rows)[number]) => foldOfRow(row, known);
};

test("every request has one fold, and each fold has about its share of the requests", () => {
  checkSchema(SplitSchema, split, "split");
  const counts = folds.map((name) => split.folds[name].requests);
  assert.is(
    counts.reduce((sum, count) => sum + count, 0),
    rows.length,
  );
  for (const [i, share] of [0.35, 0.15, 0.3, 0.2].entries()) {
    const noise = 3 * Math.sqrt((share * (1 - share)) / rows.length);
    assert.ok(Math.abs((counts[i] ?? 0) / rows.length - share) < noise, `${counts.join()} of ${rows.length}`);
  }
  assert.is(split.folds.certify.workflows, catalog.workflows.length);
});

test("the order of the rows changes nothing", () => {
  const shuffled = datasetOf(seededRandom(3).shuffle(rows));
  assert.equal(splitByWorkflow({ dataset: shuffled, catalog, seed: 1, by: "request" }).folds, split.folds);
});

test("near-duplicates stay together, also across workflows", () => {
  const text = "please tell me when the parcel will be here";
  const copies = ["low.0", "high.3", null].map((workflowId, i) =>
    aRequest({ id: `copy-${i}`, text: i === 0 ? text : `${text}!`, workflow_id: workflowId }),
  );
  for (const seed of [1, 2, 3]) {
    const fold = foldIn(splitByWorkflow({ dataset: datasetOf([...rows, ...copies]), catalog, seed, by: "request" }));
    assert.is(new Set(copies.map(fold)).size, 1);
  }
});

test("a declared group stays together, in scope and out of scope", () => {
  const grouped = rows.map((row, i) => ({ ...row, group_id: `group-${Math.floor(i / 3)}` }));
  const fold = foldIn(splitByWorkflow({ dataset: datasetOf(grouped), catalog, seed: 1, by: "request" }));
  for (const own of groupBy(grouped, ({ group_id }) => group_id).values()) assert.is(new Set(own.map(fold)).size, 1);
});

test("a request that shares half of its words with an example of its workflow is in FIT", () => {
  const [first, ...others] = catalog.workflows;
  if (first === undefined) throw new RangeError("the catalog is empty");
  const own = rows.filter((row) => row.workflow_id === first.workflow_id);
  const teaching = {
    ...catalog,
    workflows: [{ ...first, examples: own.map(({ text }) => `${text} please`) }, ...others],
  };
  const found = splitByWorkflow({ dataset, catalog: teaching, seed: 1, by: "request" });
  assert.equal([...new Set(own.map(foldIn(found)))], ["fit"]);
});

test("a request whose text is an example of the catalog never certifies: it is in FIT", () => {
  const [first, ...others] = catalog.workflows;
  if (first === undefined) throw new RangeError("the catalog is empty");
  const taught = rows.filter((row) => row.workflow_id === first.workflow_id).slice(0, 15);
  const examples = taught.map(({ text }) => text.toUpperCase());
  const teaching = { ...catalog, workflows: [{ ...first, examples }, ...others] };
  for (const by of ["request", "role"]) {
    const published = rows.map((row) => ({ ...row, slices: { part: "validation" } }));
    const fold = foldIn(splitByWorkflow({ dataset: datasetOf(published), catalog: teaching, seed: 1, by }));
    assert.equal([...new Set(taught.map(fold))], ["fit"], by);
  }
});

test("published roles become folds: train FIT, validation CERTIFY, test EVAL, and TUNE stays empty", () => {
  const roles = ["train", "validation", "Test", "dev"];
  const published = rows.map((row, i) => ({ ...row, slices: { part: roles[i % roles.length] ?? "" } }));
  const found = splitByWorkflow({ dataset: datasetOf(published), catalog, seed: 1, by: "role" });
  const fold = foldIn(found);
  assert.equal(published.slice(0, 4).map(fold), ["fit", "certify", "eval", "certify"]);
  assert.is(found.folds.tune.requests, 0);
});

test("a row without a role, or with an unknown role, is refused", () => {
  throws(() => splitByWorkflow({ dataset, catalog, seed: 1, by: "role" }), "DOCUMENT_INVALID");
  const odd = datasetOf(rows.map((row) => ({ ...row, slices: { part: "holdout" } })));
  const error = throws(() => splitByWorkflow({ dataset: odd, catalog, seed: 1, by: "role" }), "DOCUMENT_INVALID");
  assert.match(error.message, /found the role "holdout", expected train, validation or test/);
});

test("by request FIT and TUNE may be empty, and every request is used", () => {
  const fractions = { fit: 0, tune: 0, certify: 0.4, eval: 0.6 };
  const { folds } = splitByWorkflow({ dataset, catalog, seed: 1, by: "request", fractions });
  assert.equal([folds.fit.requests, folds.tune.requests], [0, 0]);
  assert.is(folds.certify.requests + folds.eval.requests, rows.length);
  throws(() => splitByWorkflow({ dataset, catalog, seed: 1, fractions }), "USAGE");
  const noEval = { fit: 0.5, tune: 0, certify: 0.5, eval: 0 };
  throws(() => splitByWorkflow({ dataset, catalog, seed: 1, by: "request", fractions: noEval }), "USAGE");
});

for (const by of ["request", "workflow"]) {
  test(`a preserved FIT fold stays FIT, and the other requests are split by ${by} over the other folds`, () => {
    const first = splitByWorkflow({ dataset, catalog, seed: 1 });
    const keptFit = first.folds.fit.clusters;
    const inFit = rows.filter((row) => foldIn(first)(row) === "fit");
    for (const seed of [2, 3]) {
      const again = splitByWorkflow({ dataset, catalog, seed, by, keptFit });
      assert.ok(inFit.every((row) => foldIn(again)(row) === "fit"));
      assert.ok(again.folds.fit.requests - inFit.length < 0.02 * rows.length, "otherwise only repeats of them");
      assert.ok(again.folds.certify.requests > again.folds.eval.requests);
    }
  });
}

test("a FIT fold cannot be preserved by role or in a cross-validation", () => {
  const keptFit = splitByWorkflow({ dataset, catalog, seed: 1 }).folds.fit.clusters;
  throws(() => splitByWorkflow({ dataset, catalog, seed: 1, by: "role", keptFit }), "USAGE");
  const again = { dataset, catalog, seed: 1, keptFit, crossValidation: { parts: 5, repeats: 1 } } as const;
  throws(() => splitByWorkflow(again), "USAGE");
});

test("requests are not dealt out again and again", () => {
  const again = { dataset, catalog, seed: 1, by: "request", crossValidation: { parts: 5, repeats: 1 } } as const;
  throws(() => splitByWorkflow(again), "USAGE");
});
