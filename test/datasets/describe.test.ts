import { describeDataset } from "../../datasets/describe.js";
import { datasetOf } from "../../datasets/dataset-bytes.js";
import { splitByWorkflow } from "../../datasets/split-by-workflow.js";
import { assert, test } from "../support/test.js";
import { aCatalog, aRequest, aSplittableDataset, aWorkflow } from "../support/score-cases.js";

test("counts requests per workflow, tier and slice", () => {
  const rows = [
    aRequest({ id: "1", text: "abc", workflow_id: "orders.find", slices: { part: "train" } }),
    aRequest({ id: "2", text: "abcd", workflow_id: "orders.cancel", slices: { part: "test" }, missing_inputs: ["id"] }),
    aRequest({ id: "3", text: "abcde", workflow_id: "orders.cancel", slices: { part: "test" }, context: { a: 1 } }),
    aRequest({ id: "4", text: "ab", workflow_id: null, group_id: "weather" }),
    aRequest({ id: "5", text: "abcdef", workflow_id: null, group_id: "weather" }),
    aRequest({ id: "6", text: "🙂", workflow_id: null }),
  ];
  const catalog = aCatalog([aWorkflow(), aWorkflow({ workflow_id: "orders.cancel", risk_tier: "high" })]);
  assert.equal(describeDataset(rows, { catalog }), {
    requests: 6,
    in_scope: 3,
    out_of_scope: 3,
    workflows: 2,
    out_of_scope_groups: 2,
    with_context: 1,
    with_missing_inputs: 1,
    length: { min: 1, p05: 1.25, p25: 2.25, median: 3.5, p75: 4.75, p95: 5.75, max: 6 },
    per_workflow: [
      { value: "orders.cancel", requests: 2 },
      { value: "orders.find", requests: 1 },
    ],
    per_tier: [
      { value: "high", requests: 2 },
      { value: "low", requests: 1 },
    ],
    per_fold: [],
    slices: [
      {
        slice: "part",
        values: [
          { value: "test", requests: 2 },
          { value: "train", requests: 1 },
        ],
      },
    ],
  });
});

test("counts the folds of a split", () => {
  const { rows, catalog } = aSplittableDataset({ workflowsPerTier: 4, requests: 2, outOfScope: 4 });
  const split = splitByWorkflow({ dataset: datasetOf(rows), catalog, seed: 1 });
  const { per_fold: perFold } = describeDataset(rows, { split });
  assert.equal(
    perFold.map(({ fold, requests, workflows, out_of_scope: outOfScope }) => [
      fold,
      requests - outOfScope - 2 * workflows,
    ]),
    [
      ["fit", 0],
      ["tune", 0],
      ["certify", 0],
      ["eval", 0],
    ],
  );
  assert.is(
    perFold.reduce((sum, { requests }) => sum + requests, 0),
    rows.length,
  );
});

test("has no lengths and no counts without rows", () => {
  const empty = describeDataset([]);
  assert.is(empty.length, null);
  assert.equal(empty.per_workflow, []);
});
