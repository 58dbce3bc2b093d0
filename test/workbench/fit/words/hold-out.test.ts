import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { FitData } from "../../../../workbench/fit/words/fit-data.js";
import { heldOutTask } from "../../../../workbench/fit/words/held-out-recall.js";
import { workflowFolds } from "../../../../workbench/fit/words/hold-out.js";
import { seededRandom } from "../../../../src/stats/seeded-random.js";
import { smallFitData } from "../../../support/small-fit.js";

const test = suite("workbench/fit/words/hold-out");

/** Two workflows share the class "twin". */
const data: FitData = {
  ...smallFitData,
  requests: [...smallFitData.requests, { text: "what a day", workflow: null }],
  workflows: smallFitData.workflows.map((workflow) =>
    workflow.id.startsWith("lock") ? { ...workflow, classKey: "twin" } : workflow,
  ),
};

test("folds hold out each workflow once, classes whole, with all their requests", () => {
  const folds = workflowFolds(data, 2, seededRandom(3));
  const held = folds.flatMap(({ workflows }) => workflows.map(({ id }) => id));
  assert.equal([...held].sort(), data.workflows.map(({ id }) => id).sort());
  for (const { fit, workflows, requests } of folds) {
    const ids = new Set<string | null>(workflows.map(({ id }) => id));
    assert.is(workflows.filter(({ classKey }) => classKey === "twin").length % 2, 0);
    assert.ok(requests.every(({ workflow }) => ids.has(workflow)));
    assert.ok(fit.requests.every(({ workflow }) => !ids.has(workflow)));
    assert.ok(fit.workflows.every(({ id }) => !ids.has(id)));
    assert.is(fit.requests.length + requests.length, data.requests.length);
    assert.ok(fit.requests.some(({ workflow }) => workflow === null));
  }
});

test("the queried requests are not among the examples of the index", () => {
  const [fold] = workflowFolds(data, 2, seededRandom(3));
  if (fold === undefined) throw new Error("no fold");
  const many = {
    ...fold,
    requests: fold.requests.flatMap((r) => [1, 2, 3, 4].map((n) => ({ ...r, text: `${r.text} ${n}` }))),
  };
  const { classes, queries } = heldOutTask(many, seededRandom(1));
  const examples = new Set(classes.flatMap((one) => one.examples));
  assert.ok(queries.length > 0);
  assert.ok(queries.every(({ text }) => !examples.has(text)));
  assert.ok(classes.every((one) => one.examples.length === 10));
});

test.run();
