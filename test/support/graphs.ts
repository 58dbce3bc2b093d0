/** Small ONNX graphs for tests of the inference threads and of models. */
import { floatMatrix, type Graph, type GraphNode, onnxModel } from "../../src/inference/onnx-graph.js";

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
    inputs: [floatMatrix("input", columns)],
    outputs: [floatMatrix("output", bias.length)],
    constants: [
      { name: "weights", dimensions: [columns, bias.length], values: Float32Array.from(weights) },
      { name: "bias", dimensions: [bias.length], values: Float32Array.from(bias) },
    ],
    nodes: [
      { operator: "MatMul", inputs: ["input", "weights"], outputs: ["product"] },
      { operator: "Add", inputs: ["product", "bias"], outputs: ["output"] },
    ],
  };
}

export const linearModel = (graph: LinearGraph): Buffer => onnxModel(linearGraph(graph));

/** One operator on a matrix of one column, e.g. Log, which turns negative numbers into NaN. */
export function unaryModel(operator: string): Buffer {
  return onnxModel({
    name: "unary",
    inputs: [floatMatrix("input", 1)],
    outputs: [floatMatrix("output", 1)],
    constants: [],
    nodes: [{ operator, inputs: ["input"], outputs: ["output"] }],
  });
}

/** A chain of `length` products of [n, size] with one [size, size] matrix: slow on purpose. */
export function slowModel(size: number, length: number): Buffer {
  const name = (step: number): string => (step === length ? "output" : step === 0 ? "input" : `step${step}`);
  const nodes = Array.from({ length }, (_, step): GraphNode => {
    return { operator: "MatMul", inputs: [name(step), "matrix"], outputs: [name(step + 1)] };
  });
  return onnxModel({
    name: "slow",
    inputs: [floatMatrix("input", size)],
    outputs: [floatMatrix("output", size)],
    constants: [{ name: "matrix", dimensions: [size, size], values: new Float32Array(size * size) }],
    nodes,
  });
}

/** Turns every [n, columns] input into [n, 3] of NaN: the logarithm of -1. */
export function nanModel(columns: number): Buffer {
  const linear = linearGraph({ columns, weights: [...new Float32Array(columns * 3)], bias: [-1, -1, -1] });
  return onnxModel({
    ...linear,
    outputs: [floatMatrix("logarithm", 3)],
    nodes: [...linear.nodes, { operator: "Log", inputs: ["output"], outputs: ["logarithm"] }],
  });
}
