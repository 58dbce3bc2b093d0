import { InferenceSession, Tensor } from "onnxruntime-node";
import { constantBytes, floatMatrix, type Graph, onnxModel } from "../../../src/inference/onnx-graph.js";
import { InferencePool } from "../../../src/inference/pool.js";
import { onnxRuntimeVersion } from "../../../src/inference/models/open-session.js";
import { assert, test } from "../../support/test.js";
import { linearGraph, unaryModel } from "../../support/graphs.js";
import { loadGraph, runMatrix } from "../../support/inference.js";
import { toFloat16 } from "../../support/to-float16.js";

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
    inputs: [floatMatrix("input", 2)],
    outputs: [floatMatrix("output", 2)],
    constants: [
      { name: "mean", dimensions: [2], values: Float32Array.of(1, 2) },
      { name: "scale", dimensions: [2], values: Float32Array.of(2, 0.5) },
    ],
    nodes: [
      { operator: "Sub", inputs: ["input", "mean"], outputs: ["centred"] },
      { operator: "Mul", inputs: ["centred", "scale"], outputs: ["output"] },
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

const numbers = (tensor: Tensor | undefined): readonly unknown[] => [...((tensor?.data ?? []) as Iterable<unknown>)];

/** Feeds of any type and rank, which the pool's matrices cannot carry. */
async function runOnce(graph: Graph, feeds: Readonly<Record<string, Tensor>>): Promise<InferenceSession.ReturnType> {
  const session = await InferenceSession.create(onnxModel(graph));
  try {
    return await session.run(feeds);
  } finally {
    await session.release();
  }
}

test("several inputs and outputs of several types and ranks, with an integer attribute below zero", async () => {
  const graph: Graph = {
    name: "sorted",
    inputs: [
      { name: "table", type: "float32", dimensions: ["batch", "items", 2] },
      { name: "count", type: "int64", dimensions: [1] },
    ],
    outputs: [
      { name: "largest", type: "float32", dimensions: ["batch", "items", "count"] },
      { name: "positions", type: "int64", dimensions: ["batch", "items", "count"] },
    ],
    constants: [],
    nodes: [
      {
        operator: "TopK",
        inputs: ["table", "count"],
        outputs: ["largest", "positions"],
        attributes: [{ name: "axis", int: -1 }],
      },
    ],
  };
  const { largest, positions } = await runOnce(graph, {
    table: new Tensor("float32", [1, 2, 6, 5, 3, 4], [1, 3, 2]),
    count: new Tensor("int64", [1n], [1]),
  });
  assert.equal(largest?.dims, [1, 3, 1]);
  assert.equal(numbers(largest), [2, 6, 4]);
  assert.equal(numbers(positions), [1n, 0n, 1n]);
});

test("attributes that are numbers or lists, and integer constants", async () => {
  const graph: Graph = {
    name: "attributes",
    inputs: [{ name: "x", type: "float32", dimensions: [2, 2] }],
    outputs: [{ name: "y", type: "float32", dimensions: [] }],
    constants: [
      { name: "shape", dimensions: [1], values: BigInt64Array.of(-1n) },
      { name: "third", dimensions: [], values: BigInt64Array.of(2n) },
    ],
    nodes: [
      { operator: "LeakyRelu", inputs: ["x"], outputs: ["leaky"], attributes: [{ name: "alpha", float: 0.25 }] },
      { operator: "Transpose", inputs: ["leaky"], outputs: ["turned"], attributes: [{ name: "perm", ints: [1, 0] }] },
      { operator: "Reshape", inputs: ["turned", "shape"], outputs: ["flat"] },
      { operator: "Gather", inputs: ["flat", "third"], outputs: ["y"] },
    ],
  };
  const { y } = await runOnce(graph, { x: new Tensor("float32", [1, -8, 3, 4], [2, 2]) });
  assert.equal(y?.dims, []);
  assert.equal(numbers(y), [-2]);
});

const halves: Graph = {
  name: "halves",
  inputs: [{ name: "x", type: "float32", dimensions: ["n"] }],
  outputs: [{ name: "y", type: "float32", dimensions: ["n"] }],
  constants: [{ name: "half", dimensions: [1], values: toFloat16(Float32Array.of(0.5)) }],
  nodes: [
    { operator: "Cast", inputs: ["half"], outputs: ["wide"], attributes: [{ name: "to", int: 1 }] },
    { operator: "Mul", inputs: ["x", "wide"], outputs: ["y"] },
  ],
};

test("float16 constants", async () => {
  const { y } = await runOnce(halves, { x: new Tensor("float32", [3, 4], [2]) });
  assert.equal(numbers(y), [1.5, 2]);
});

test("constants in files next to the graph", async () => {
  const values = Float32Array.of(10, 20);
  const graph = linearGraph({ columns: 1, weights: [1, 2], bias: [0, 0] });
  const constants = graph.constants.map((constant) =>
    constant.name === "bias" ? { ...constant, values, file: "bias.bin" } : constant,
  );
  const externalData = [{ path: "bias.bin", data: constantBytes(values) }];
  const session = await InferenceSession.create(onnxModel({ ...graph, constants }), { externalData });
  const { output } = await session.run({ input: new Tensor("float32", [3], [1, 1]) });
  assert.equal(numbers(output), [13, 26]);
  await session.release();
});

test("the same graph gives the same bytes", () => {
  const graph = linearGraph({ columns: 2, weights: [1, 2], bias: [3] });
  assert.ok(onnxModel(graph).equals(onnxModel(structuredClone(graph))));
  assert.not.ok(onnxModel(graph).equals(onnxModel(linearGraph({ columns: 2, weights: [1, 2], bias: [4] }))));
});

test("the version of the runtime is that of the installed package", () => {
  assert.match(onnxRuntimeVersion(), /^\d+\.\d+\.\d+/);
});
