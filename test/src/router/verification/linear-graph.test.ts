import { seededRandom } from "../../../../src/base/numbers/seeded-random.js";
import { unbounded } from "../../../../src/documents/run-scope.js";
import { InferencePool } from "../../../../src/inference/pool.js";
import { onnxModel, plainGraph } from "../../../../src/inference/onnx-graph.js";
import { linearGraph, readLinearGraph, runLinearGraph } from "../../../../src/router/verification/linear-graph.js";
import { assert, test, throws } from "../../../support/test.js";

const pool = new InferencePool({ workers: 1, queueLimit: 1 });
test.after(() => pool.close());

const random = seededRandom(1);
const floats = (length: number, scale: number): Float32Array =>
  Float32Array.from({ length }, () => scale * (random.uniform() - 0.5));
const weights = { mean: floats(7, 2), scale: floats(7, 4), weights: floats(14, 3), bias: floats(2, 1) };
const bytes = onnxModel(linearGraph(weights));

test("a graph that model fit writes gives the numbers of ONNX Runtime", async () => {
  const features = { rows: 40, columns: 7, values: floats(280, 40) };
  const graph = await pool.load(plainGraph(bytes));
  const { matrix } = await graph.run({ kind: "matrix", matrix: features }, unbounded);
  const read = readLinearGraph(bytes, 7);
  if (read === null) throw new Error("the graph was not recognised");
  const found = runLinearGraph(read, features);
  assert.equal([found.rows, found.columns], [40, 3]);
  for (const [place, value] of matrix.values.entries())
    assert.ok(Math.abs(value - (found.values[place] ?? Number.NaN)) <= 1e-5 * (1 + Math.abs(value)), `at ${place}`);
});

test("any other graph is left to ONNX Runtime", () => {
  const { nodes, ...rest } = linearGraph(weights);
  assert.is(readLinearGraph(onnxModel({ ...rest, nodes: nodes.slice(0, -1) }), 7), null);
  assert.is(readLinearGraph(bytes, 8), null);
  throws(() => readLinearGraph(Buffer.from("no graph"), 7), "MODEL_INVALID");
});

test("a number that is not finite is refused", () => {
  const features = { rows: 1, columns: 7, values: new Float32Array(7).fill(Number.MAX_VALUE) };
  throws(() => runLinearGraph(weights, features), "MODEL_RUN_FAILED");
});
