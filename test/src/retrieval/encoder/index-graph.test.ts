import { suite } from "uvu";
import * as assert from "uvu/assert";
import { onnxModel } from "../../../../src/inference/onnx-graph.js";
import { InferencePool } from "../../../../src/inference/pool.js";
import { type IndexedWorkflow, indexGraph, requireIndexFits } from "../../../../src/retrieval/encoder/index-graph.js";
import { seededRandom } from "../../../../src/stats/seeded-random.js";
import { loadGraph, runMatrix } from "../../../support/inference.js";
import { throws } from "../../../support/rejects.js";
import { anIndexedWorkflow, scoresByLoops, unitVector } from "../../../support/vectors.js";

const test = suite("src/retrieval/encoder/index-graph");

const pool = new InferencePool({ workers: 1, queueLimit: 16 });
test.after(() => pool.close());

const dimensions = 24;
const random = seededRandom(7);
const workflowsWith = (counts: readonly number[]): readonly IndexedWorkflow[] =>
  counts.map((examples, i) => anIndexedWorkflow(`workflow.${(i * 11) % 97}`, { examples, dimensions }, random));
const queries = Array.from({ length: 3 }, () => unitVector(dimensions, random));

/** One row of scores for each query. */
async function scoresByGraph(workflows: readonly IndexedWorkflow[], weight: number): Promise<readonly Float32Array[]> {
  const model = await loadGraph(pool, onnxModel(indexGraph(workflows, dimensions, weight)));
  const values = Float32Array.from(queries.flatMap((query) => [...query]));
  const scores = await runMatrix(model, { rows: queries.length, columns: dimensions, values });
  assert.equal([scores.rows, scores.columns], [queries.length, workflows.length]);
  return queries.map((_, row) => scores.values.subarray(row * workflows.length, (row + 1) * workflows.length));
}

const catalogs: readonly (readonly [name: string, counts: readonly number[]])[] = [
  ["mixed numbers of examples", [2, 0, 5, 1, 2, 0, 3, 5, 5, 1, 17]],
  ["as many examples everywhere", [4, 4, 4]],
  ["no examples at all", [0, 0, 0, 0]],
  ["one workflow", [3]],
];

for (const [name, counts] of catalogs) {
  for (const weight of [0, 0.3, 1]) {
    test(`${name}, description weight ${weight}: the scores of plain loops`, async () => {
      const workflows = workflowsWith(counts);
      const found = await scoresByGraph(workflows, weight);
      for (const [row, query] of queries.entries()) {
        for (const [position, expected] of scoresByLoops(query, workflows, weight).entries()) {
          const difference = Math.abs((found[row]?.[position] ?? Number.NaN) - expected);
          assert.ok(difference < 1e-6, `query ${row}, workflow ${position}: ${difference} apart`);
        }
      }
    });
  }
}

test("the order of the catalog and of the examples changes no bit of a score", async () => {
  const workflows = workflowsWith([2, 0, 5, 1, 2, 0, 3, 5, 5, 1]);
  const backwards = [...workflows].reverse().map((one) => ({ ...one, examples: [...one.examples].reverse() }));
  const [forwards] = await scoresByGraph(workflows, 0.4);
  const [reversed] = await scoresByGraph(backwards, 0.4);
  assert.equal(reversed?.toReversed(), forwards);
});

test("an index that no ONNX file can hold is refused with its size", () => {
  requireIndexFits(1_387_000, 384);
  const error = throws(() => requireIndexFits(1_400_000, 384), "CATALOG_INVALID");
  assert.match(error.message, /1400000 texts with 384 numbers each requires 2\.00 GiB, at most 1\.98 GiB are possible/);
  assert.ok(error.hint !== undefined);
});

test.run();
