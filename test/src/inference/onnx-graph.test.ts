import { suite } from "uvu";
import * as assert from "uvu/assert";
import { onnxModel } from "../../../src/inference/onnx-graph.js";
import { InferencePool } from "../../../src/inference/pool.js";
import { onnxRuntimeVersion } from "../../../src/inference/runtime-version.js";
import { linearGraph, unaryModel } from "../../support/graphs.js";
import { loadGraph, runMatrix } from "../../support/inference.js";

const test = suite("src/inference/onnx-graph");

const pool = new InferencePool({ workers: 1, queueLimit: 16 });
test.after(() => pool.close());

async function run(bytes: Buffer, rows: number, values: readonly number[]): Promise<readonly number[]> {
  const model = await loadGraph(pool, bytes);
  const output = await runMatrix(model, { rows, columns: values.length / rows, values: Float32Array.from(values) });
  assert.is(output.rows, rows);
  assert.is(output.values.length, output.rows * output.columns);
  return [...output.values];
}

test("a linear graph computes input x weights + bias, row-major", async () => {
  const graph = linearGraph({ columns: 2, weights: [1, 2, 3, 4, 5, 6], bias: [10, 20, 30] });
  assert.equal(await run(onnxModel(graph), 2, [1, 0, 1, 1]), [11, 22, 33, 15, 27, 39]);
});

const operators: readonly (readonly [operator: string, compute: (x: number) => number])[] = [
  ["Exp", Math.exp],
  ["Tanh", Math.tanh],
  ["Log", Math.log],
  ["Sqrt", Math.sqrt],
];

for (const [operator, compute] of operators) {
  test(`operator ${operator} on several rows`, async () => {
    const inputs = [0.25, 1, 2.5];
    const outputs = await run(unaryModel(operator), 3, inputs);
    for (const [index, output] of outputs.entries()) {
      assert.ok(Math.abs(output - compute(inputs[index] ?? 0)) < 1e-5);
    }
  });
}

test("Sub and Mul broadcast a constant over the rows", async () => {
  const bytes = onnxModel({
    name: "standardise",
    input: { name: "input", columns: 2 },
    output: { name: "output", columns: 2 },
    constants: [
      { name: "mean", dimensions: [2], values: Float32Array.of(1, 2) },
      { name: "scale", dimensions: [2], values: Float32Array.of(2, 0.5) },
    ],
    nodes: [
      { operator: "Sub", inputs: ["input", "mean"], output: "centred" },
      { operator: "Mul", inputs: ["centred", "scale"], output: "output" },
    ],
  });
  assert.equal(await run(bytes, 2, [1, 2, 3, 4]), [0, 0, 4, 1]);
});

test("sizes beyond one byte are written right", async () => {
  const columns = 300;
  const weights = Array.from({ length: columns }, (_, i) => i);
  const graph = linearGraph({ columns, weights, bias: [0] });
  assert.equal(
    await run(
      onnxModel(graph),
      1,
      weights.map(() => 1),
    ),
    [(columns * (columns - 1)) / 2],
  );
});

test("the same graph gives the same bytes", () => {
  const graph = linearGraph({ columns: 2, weights: [1, 2], bias: [3] });
  assert.ok(onnxModel(graph).equals(onnxModel(structuredClone(graph))));
  assert.not.ok(onnxModel(graph).equals(onnxModel(linearGraph({ columns: 2, weights: [1, 2], bias: [4] }))));
});

test("the version of the runtime is that of the installed package", () => {
  assert.match(onnxRuntimeVersion(), /^\d+\.\d+\.\d+/);
});

test.run();
