import { floatMatrix, type Graph } from "../../../src/inference/onnx-graph.js";

const largest = 127;
const int64Type = 7;
const floatType = 1;

/**
 * A table of vectors as a graph: `rows` [n, 1], the numbers of rows as float32 -> `vectors` [n, dimensions].
 * Weights are int8 with one scale for each row: a value is off by at most its row's largest / 254.
 * @param values  shape (size, dimensions), row-major, finite
 */
export function vectorsGraph(values: Float32Array, dimensions: number): Graph {
  const size = values.length / dimensions;
  const weights = new Int8Array(values.length);
  const scales = new Float32Array(size);
  for (let row = 0; row < size; row += 1) {
    const vector = values.subarray(row * dimensions, (row + 1) * dimensions);
    const scale = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / largest;
    scales[row] = scale;
    for (const [column, value] of vector.entries()) {
      weights[row * dimensions + column] = scale === 0 ? 0 : Math.round(value / scale);
    }
  }
  const cast = (from: string, to: string, type: number) => {
    return { operator: "Cast", inputs: [from], outputs: [to], attributes: [{ name: "to", int: type }] };
  };
  return {
    name: "word_vectors",
    inputs: [floatMatrix("rows", 1)],
    outputs: [floatMatrix("vectors", dimensions)],
    constants: [
      { name: "weights", dimensions: [size, dimensions], values: weights },
      { name: "scales", dimensions: [size], values: scales },
      { name: "flat", dimensions: [1], values: BigInt64Array.of(-1n) },
    ],
    nodes: [
      cast("rows", "row_ids", int64Type),
      { operator: "Gather", inputs: ["scales", "row_ids"], outputs: ["row_scales"] },
      { operator: "Reshape", inputs: ["row_ids", "flat"], outputs: ["flat_ids"] },
      { operator: "Gather", inputs: ["weights", "flat_ids"], outputs: ["row_weights"] },
      cast("row_weights", "row_values", floatType),
      { operator: "Mul", inputs: ["row_values", "row_scales"], outputs: ["vectors"] },
    ],
  };
}
