import { floatMatrix, type Graph, type GraphNode } from "../../../src/inference/onnx-graph.js";

/**
 * In-batch softmax in both directions (van den Oord, Li and Vinyals 2018) with its gradient, as a graph: the pair of each
 * vector among all vectors of the other side.
 * `pairs` [n, 2 width], unit vectors left and right -> `gradients` [n, 2 width + 1], those of the summed loss by left and
 * right, and the loss of each pair in nats.
 * @param scale  factor of the cosines, the inverse temperature
 */
export function contrastiveGraph(width: number, scale: number): Graph {
  return {
    name: "contrastive",
    inputs: [floatMatrix("pairs", 2 * width)],
    outputs: [floatMatrix("gradients", 2 * width + 1)],
    constants: [
      { name: "scale", dimensions: [1], values: Float32Array.of(scale) },
      { name: "half_scale", dimensions: [1], values: Float32Array.of(scale / 2) },
      { name: "minus_half", dimensions: [1], values: Float32Array.of(-0.5) },
      { name: "along_row", dimensions: [1], values: BigInt64Array.of(1n) },
    ],
    nodes: [
      { operator: "Split", inputs: ["pairs"], outputs: ["left", "right"], attributes: [{ name: "axis", int: 1 }] },
      turned("right", "right_turned"),
      node("MatMul", ["left", "right_turned"], "cosines"),
      node("Mul", ["cosines", "scale"], "scores"),
      { ...node("Softmax", ["scores"], "forth"), attributes: [{ name: "axis", int: 1 }] },
      { ...node("Softmax", ["scores"], "back"), attributes: [{ name: "axis", int: 0 }] },
      node("EyeLike", ["scores"], "own"),
      node("Add", ["forth", "back"], "both"),
      node("Sub", ["both", "own"], "both_less_one"),
      node("Sub", ["both_less_one", "own"], "errors"),
      node("Mul", ["errors", "half_scale"], "weights"),
      node("MatMul", ["weights", "right"], "by_left"),
      turned("weights", "weights_turned"),
      node("MatMul", ["weights_turned", "left"], "by_right"),
      ...logOfOwn("forth"),
      ...logOfOwn("back"),
      node("Add", ["forth_log", "back_log"], "log_both"),
      node("Mul", ["log_both", "minus_half"], "loss"),
      {
        ...node("Concat", ["by_left", "by_right", "loss"], "gradients"),
        attributes: [{ name: "axis", int: 1 }],
      },
    ],
  };
}

const node = (operator: string, inputs: readonly string[], output: string): GraphNode => {
  return { operator, inputs, outputs: [output] };
};

const turned = (input: string, output: string): GraphNode => {
  return { ...node("Transpose", [input], output), attributes: [{ name: "perm", ints: [1, 0] }] };
};

/** Logarithm of the diagonal as a column. */
const logOfOwn = (probabilities: string): readonly GraphNode[] => [
  node("Mul", [probabilities, "own"], `${probabilities}_own`),
  node("ReduceSum", [`${probabilities}_own`, "along_row"], `${probabilities}_sum`),
  node("Log", [`${probabilities}_sum`], `${probabilities}_log`),
];
