/** Small ONNX graphs for tests of the inference threads and of models. */
import { constantBytes, floatMatrix, type Graph, type GraphNode, onnxModel } from "../../src/inference/onnx-graph.js";
import { bytesField, integerField, type MessagePieces } from "../../src/inference/protobuf.js";

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

/** A matrix of one column that goes through a loop of 2^60 rounds: it is loaded, and its first run never ends. */
export function endlessModel(): Buffer {
  const port = (name: string, type: number, shape: MessagePieces): MessagePieces => [
    ...bytesField(1, name),
    ...bytesField(2, bytesField(1, [...integerField(1, type), ...bytesField(2, shape)])),
  ];
  const [float, int64, bool] = [1, 7, 9];
  const column = [...bytesField(1, bytesField(2, "batch")), ...bytesField(1, integerField(1, 1))];
  const identity = (input: string, output: string): MessagePieces => [
    ...bytesField(1, input),
    ...bytesField(2, output),
    ...bytesField(4, "Identity"),
  ];
  const body = [
    ...bytesField(1, identity("go", "go_on")),
    ...bytesField(1, identity("value", "next")),
    ...bytesField(2, "body"),
    ...bytesField(11, port("round", int64, [])),
    ...bytesField(11, port("go", bool, [])),
    ...bytesField(11, port("value", float, column)),
    ...bytesField(12, port("go_on", bool, [])),
    ...bytesField(12, port("next", float, column)),
  ];
  const loop = [
    ...["rounds", "", "input"].flatMap((name) => bytesField(1, name)),
    ...bytesField(2, "output"),
    ...bytesField(4, "Loop"),
    ...bytesField(5, [...bytesField(1, "body"), ...bytesField(6, body), ...integerField(20, 5)]),
  ];
  const rounds = [
    ...integerField(2, int64),
    ...bytesField(8, "rounds"),
    ...bytesField(9, constantBytes(BigInt64Array.of(2n ** 60n))),
  ];
  const graph = [
    ...bytesField(1, loop),
    ...bytesField(2, "endless"),
    ...bytesField(5, rounds),
    ...bytesField(11, port("input", float, column)),
    ...bytesField(12, port("output", float, column)),
  ];
  return Buffer.concat([
    ...integerField(1, 8),
    ...bytesField(7, graph),
    ...bytesField(8, [...bytesField(1, ""), ...integerField(2, 17)]),
  ]);
}
