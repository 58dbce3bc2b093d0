import { datasetOf } from "../../datasets/dataset-bytes.js";
import { everyTextShares, usesEveryText } from "../../datasets/every-text.js";
import { leftOutParts } from "../../datasets/left-out.js";
import { foldOf, splitByWorkflow } from "../../datasets/split-by-workflow.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { foldOfRow } from "../../src/documents/split.js";
import { assert, test } from "../support/test.js";
import { aCatalog, aRequest, aSplittableDataset } from "../support/score-cases.js";

const { rows, catalog: plain } = aSplittableDataset({ workflowsPerTier: 2, requests: 12, outOfScope: 10 });
/** Every request in scope is an example of its workflow. */
const catalog = aCatalog(
  plain.workflows.map((workflow) => ({
    ...workflow,
    examples: rows.filter(({ workflow_id: workflowId }) => workflowId === workflow.workflow_id).map(({ text }) => text),
  })),
);

test("each row is in one part, whose catalog has no example of its family and nearly all others", () => {
  const copies = rows.slice(0, 5).map((row) => aRequest({ ...row, id: `${row.id}-copy`, text: `${row.text} please` }));
  const all = [...rows, ...copies];
  const parts = leftOutParts(all, catalog);
  assert.is(
    parts.reduce((sum, part) => sum + part.rows.size, 0),
    all.length,
  );
  for (const part of parts) {
    const left = new Set(part.catalog.workflows.flatMap(({ examples }) => examples));
    for (const row of all.filter(({ id }) => part.rows.has(id))) {
      assert.not(left.has(row.text.replace(/ please$/, "")), row.id);
    }
    assert.ok(left.size >= 0.85 * 96, `${left.size} of 96 examples`);
    assert.equal(
      part.catalog.workflows.map(({ workflow_id: workflowId }) => workflowId),
      catalog.workflows.map(({ workflow_id: workflowId }) => workflowId),
    );
  }
});

test("the parts do not depend on the order of the rows", () => {
  const idsOf = (of: typeof rows) => leftOutParts(of, catalog).map((part) => [...part.rows].sort());
  assert.equal(idsOf(rows.toReversed()), idsOf(rows));
});

test("all rows certify, also examples, and families without an example may be held out", () => {
  const fractions = { fit: 0, tune: 0, certify: 0.5, eval: 0.5 };
  const split = splitByWorkflow({ dataset: datasetOf(rows), catalog, seed: 1, by: "left-out", fractions });
  const folds = foldOf(split);
  assert.equal(
    [...new Set(rows.filter((row) => row.workflow_id !== null).map((row) => foldOfRow(row, folds)))],
    ["certify"],
  );
  assert.ok(split.folds.eval.requests > 0);
  assert.is(split.folds.eval.requests, split.folds.eval.out_of_scope);
  const none = { fit: 0, tune: 0, certify: 1, eval: 0 };
  const whole = splitByWorkflow({ dataset: datasetOf(rows), catalog, seed: 1, by: "left-out", fractions: none });
  assert.is(whole.folds.certify.requests, rows.length);
});

test("every text is used twice from ten texts a workflow on, where the requests are the examples", () => {
  assert.is(usesEveryText(rows, catalog), true);
  assert.is(usesEveryText(rows, plain), false);
  const few = aSplittableDataset({ workflowsPerTier: 2, requests: 9, outOfScope: 0 });
  const taught = few.catalog.workflows.map((workflow) => ({
    ...workflow,
    examples: few.rows
      .filter(({ workflow_id: workflowId }) => workflowId === workflow.workflow_id)
      .map(({ text }) => text),
  }));
  assert.is(usesEveryText(few.rows, aCatalog(taught)), false);
  const [first, ...others] = rows;
  const ofOne = rows.filter(({ workflow_id: workflowId }) => workflowId === first?.workflow_id);
  assert.is(usesEveryText([...ofOne, ...others.slice(-3)], catalog), true, "a workflow with few texts changes nothing");
  const many = Array.from({ length: 120 }, (_, at) =>
    aRequest({ id: `m${at}`, workflow_id: "w1" as WorkflowId, text: `text ${at}` }),
  );
  const examples = many.slice(0, 50).map(({ text }) => text);
  const held = aCatalog(
    catalog.workflows.slice(0, 1).map((one) => ({ ...one, workflow_id: "w1" as WorkflowId, examples })),
  );
  assert.is(usesEveryText(many, held), true, "a catalog holds 50 examples of a workflow");
  const alike = rows.map((row) => aRequest({ ...row, text: `${row.text} please` }));
  assert.is(usesEveryText(alike, catalog), true, "tests that resemble the examples");
  assert.equal(
    [499, 500].map((requests) => everyTextShares(requests).eval),
    [0, 0.2],
  );
});
