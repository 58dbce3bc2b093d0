/** Small ONNX graphs for tests of the inference threads and of models. */
import { type Graph, type GraphNode, onnxModel } from "../../src/inference/onnx-graph.js";

interface LinearGraph {
  readonly columns: number;
  /** Shape (columns, outputs), row-major. */
  readonly weights: readonly number[];
  readonly bias: readonly number[];
}

/** input [n, columns] x weights + bias -> output [n, outputs] */
export function linearGraph({ columns, weights, bias }: LinearGraph): Graph {
  return {
    name: "linear",
    input: { name: "input", columns },
    output: { name: "output", columns: bias.length },
    constants: [
      { name: "weights", dimensions: [columns, bias.length], values: Float32Array.from(weights) },
      { name: "bias", dimensions: [bias.length], values: Float32Array.from(bias) },
    ],
    nodes: [
      { operator: "MatMul", inputs: ["input", "weights"], output: "product" },
      { operator: "Add", inputs: ["product", "bias"], output: "output" },
    ],
  };
}

export const linearModel = (graph: LinearGraph): Buffer => onnxModel(linearGraph(graph));

/** One operator on a matrix of one column, e.g. Log, which turns negative numbers into NaN. */
export function unaryModel(operator: string): Buffer {
  return onnxModel({
    name: "unary",
    input: { name: "input", columns: 1 },
    output: { name: "output", columns: 1 },
    constants: [],
    nodes: [{ operator, inputs: ["input"], output: "output" }],
  });
}

/** A chain of `length` products of [n, size] with one [size, size] matrix: slow on purpose. */
export function slowModel(size: number, length: number): Buffer {
  const name = (step: number): string => (step === length ? "output" : step === 0 ? "input" : `step${step}`);
  const nodes = Array.from({ length }, (_, step): GraphNode => {
    return { operator: "MatMul", inputs: [name(step), "matrix"], output: name(step + 1) };
  });
  return onnxModel({
    name: "slow",
    input: { name: "input", columns: size },
    output: { name: "output", columns: size },
    constants: [{ name: "matrix", dimensions: [size, size], values: new Float32Array(size * size) }],
    nodes,
  });
}

/** Turns every [n, columns] input into [n, 3] of NaN: the logarithm of -1. */
export function nanModel(columns: number): Buffer {
  const linear = linearGraph({ columns, weights: [...new Float32Array(columns * 3)], bias: [-1, -1, -1] });
  return onnxModel({
    ...linear,
    output: { name: "logarithm", columns: 3 },
    nodes: [...linear.nodes, { operator: "Log", inputs: ["output"], output: "logarithm" }],
  });
}
