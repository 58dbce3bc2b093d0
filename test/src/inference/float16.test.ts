import { InferenceSession, Tensor } from "onnxruntime-node";
import { fromFloat16 } from "../../../src/inference/float16.js";
import { type ElementType, onnxModel } from "../../../src/inference/onnx-graph.js";
import { assert, test } from "../../support/test.js";
import { toFloat16 } from "../../support/to-float16.js";

/** ONNX Runtime's own conversion. */
async function cast(input: Tensor, from: ElementType, to: ElementType, code: number): Promise<Tensor> {
  const session = await InferenceSession.create(
    onnxModel({
      name: "cast",
      inputs: [{ name: "x", type: from, dimensions: ["n"] }],
      outputs: [{ name: "y", type: to, dimensions: ["n"] }],
      constants: [],
      nodes: [{ operator: "Cast", inputs: ["x"], outputs: ["y"], attributes: [{ name: "to", int: code }] }],
    }),
  );
  const { y } = await session.run({ x: input });
  await session.release();
  return y as Tensor;
}

/** Where two arrays differ; two NaN are equal. */
const differences = (found: ArrayLike<number>, expected: ArrayLike<number>): readonly number[] => {
  assert.is(found.length, expected.length);
  return Array.from(found, (_, index) => index).filter((index) => !Object.is(found[index], expected[index]));
};

const bitsOf = (tensor: Tensor): Uint16Array => {
  const data = tensor.data as Uint16Array;
  return new Uint16Array(data.buffer, data.byteOffset, data.length);
};

test("all 65,536 halves widen as ONNX Runtime widens them", async () => {
  const all = Uint16Array.from({ length: 65_536 }, (_, bits) => bits);
  const expected = await cast(new Tensor("float16", all, [all.length]), "float16", "float32", 1);
  assert.equal(differences(fromFloat16(all), expected.data as Float32Array), []);
});

test("numbers narrow as ONNX Runtime narrows them: ties, subnormals, overflow, infinities, signed zero", async () => {
  const spread = Float32Array.from({ length: 20_000 }, (_, i) => Math.sin(i) * 2 ** ((i % 44) - 27));
  const steps = Float32Array.from({ length: 4_096 }, (_, i) => 1 + i / 4_096);
  const edges = [0, -0, 65_504, 65_519.996, 65_520, -65_520, 2 ** -24, 2 ** -25, 3 * 2 ** -25, 1e-10, -1e9];
  const values = Float32Array.from([...spread, ...steps, ...edges, Infinity, -Infinity]);
  const expected = await cast(new Tensor("float32", values, [values.length]), "float32", "float16", 10);
  assert.equal(differences(toFloat16(values), bitsOf(expected)), []);
  assert.ok(Number.isNaN(fromFloat16(toFloat16(Float32Array.of(Number.NaN)))[0]));
});
