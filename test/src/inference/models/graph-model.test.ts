import { GraphModel } from "../../../../src/inference/models/graph-model.js";
import type { JobOutcome } from "../../../../src/inference/models/worker-model.js";
import { floatMatrix, type Graph, onnxModel } from "../../../../src/inference/onnx-graph.js";
import type { Job } from "../../../../src/inference/protocol.js";
import { assert, test } from "../../../support/test.js";

const weights = Float32Array.from({ length: 3 * 40 }, (_, i) => Math.sin(i + 1));
const product: Graph = {
  name: "product",
  inputs: [floatMatrix("input", 3)],
  outputs: [floatMatrix("output", 40)],
  constants: [{ name: "weights", dimensions: [3, 40], values: weights }],
  nodes: [{ operator: "MatMul", inputs: ["input", "weights"], outputs: ["output"] }],
};

/** Shares of a column: each row depends on all others of its run. */
const columnShares: Graph = {
  name: "shares",
  inputs: [floatMatrix("input", 3)],
  outputs: [floatMatrix("output", 3)],
  constants: [],
  nodes: [
    {
      operator: "Softmax",
      inputs: ["input"],
      outputs: ["output"],
      attributes: [{ name: "axis", int: 0 }],
    },
  ],
};

const job = (id: number, values: readonly number[]): Job => ({
  id,
  model: 1,
  input: {
    kind: "matrix",
    matrix: { rows: values.length / 3, columns: 3, values: Float32Array.from(values) },
  },
});

async function outcomesOf(model: GraphModel, jobs: readonly Job[]): Promise<ReadonlyMap<number, JobOutcome>> {
  const outcomes = new Map<number, JobOutcome>();
  for await (const outcome of model.run(jobs)) outcomes.set(outcome.id, outcome);
  assert.is(outcomes.size, jobs.length);
  return outcomes;
}

function numbersOf(outcome: JobOutcome | undefined): readonly number[] {
  if (outcome === undefined || "error" in outcome || outcome.output.kind !== "rows") return [];
  return [...outcome.output.matrix.values];
}

async function withModel(graph: Graph, work: (model: GraphModel) => Promise<void>): Promise<void> {
  const model = await GraphModel.create({ bytes: onnxModel(graph), externalData: [] });
  try {
    await work(model);
  } finally {
    await model.release();
  }
}

test("jobs of one message get the very numbers that each gets alone", () =>
  withModel(product, async (model) => {
    const jobs = Array.from({ length: 90 }, (_, i) =>
      job(i, i % 3 === 0 ? [i, 1 / (i + 1), -i, 3, 2, 0.1] : [0.1 * i, i, 0.7]),
    );
    const together = await outcomesOf(model, jobs);
    for (const one of jobs) {
      const alone = await outcomesOf(model, [one]);
      assert.is(numbersOf(alone.get(one.id)).length, one.id % 3 === 0 ? 80 : 40);
      assert.equal(numbersOf(together.get(one.id)), numbersOf(alone.get(one.id)));
    }
  }));

test("one job that fails takes no other one along", () =>
  withModel(product, async (model) => {
    const jobs = [job(1, [1, 2, 3]), job(2, [Number.POSITIVE_INFINITY, 0, 0]), job(3, [1, 2]), job(4, [4, 5, 6])];
    const outcomes = await outcomesOf(model, jobs);
    assert.equal(
      [...outcomes.values()].map((outcome) => "error" in outcome),
      [false, true, true, false],
    );
    assert.equal(numbersOf(outcomes.get(4)), numbersOf((await outcomesOf(model, [job(4, [4, 5, 6])])).get(4)));
  }));

test("rows of a graph that mixes them never share a run", () =>
  withModel(columnShares, async (model) => {
    const outcomes = await outcomesOf(model, [job(1, [1, 2, 3]), job(2, [7, 8, 9])]);
    assert.equal(
      [numbersOf(outcomes.get(1)), numbersOf(outcomes.get(2))],
      [
        [1, 1, 1],
        [1, 1, 1],
      ],
    );
  }));
