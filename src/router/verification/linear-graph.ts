/** The graph that `model fit` writes for a linear verifier, and the same computation without a model run. */
import { requireFinite } from "../../inference/models/float-output.js";
import { constantsOf, floatMatrix, type Graph, onnxModel } from "../../inference/onnx-graph.js";
import type { Matrix } from "../../inference/protocol.js";

/**
 * Two scores computed from standardised features: one for "this candidate is right", and one for "an input is missing,
 * provided that it is right".
 */
export interface LinearWeights {
  /** Shape (features), like `scale`. */
  readonly mean: Float32Array;
  readonly scale: Float32Array;
  /** Shape (features, 2). */
  readonly weights: Float32Array;
  /** Shape (2). */
  readonly bias: Float32Array;
}

/**
 * `features` [n, F] -> `logits` [n, 3]: 0 for mismatch; the match score is divided between needs_input and executable.
 */
export function linearGraph({ mean, scale, weights, bias }: LinearWeights): Graph {
  const features = mean.length;
  const node = (operator: string, inputs: readonly string[], output: string) => ({
    operator,
    inputs,
    outputs: [output],
  });
  const alongColumns = { attributes: [{ name: "axis", int: 1 }] };
  return {
    name: "linear_verifier",
    inputs: [floatMatrix("features", features)],
    outputs: [floatMatrix("logits", 3)],
    constants: [
      { name: "mean", dimensions: [features], values: mean },
      { name: "scale", dimensions: [features], values: scale },
      { name: "weights", dimensions: [features, 2], values: weights },
      { name: "bias", dimensions: [2], values: bias },
      { name: "first", dimensions: [1], values: BigInt64Array.of(0n) },
      { name: "second", dimensions: [1], values: BigInt64Array.of(1n) },
      { name: "zero", dimensions: [1], values: Float32Array.of(0) },
    ],
    nodes: [
      node("Sub", ["features", "mean"], "centred"),
      node("Mul", ["centred", "scale"], "standardised"),
      node("MatMul", ["standardised", "weights"], "products"),
      node("Add", ["products", "bias"], "scores"),
      { ...node("Gather", ["scores", "first"], "match"), ...alongColumns },
      { ...node("Gather", ["scores", "second"], "lacks"), ...alongColumns },
      node("Neg", ["lacks"], "complete"),
      node("Softplus", ["complete"], "minus_log_lacks"),
      node("Softplus", ["lacks"], "minus_log_complete"),
      node("Sub", ["match", "minus_log_lacks"], "needs_input"),
      node("Sub", ["match", "minus_log_complete"], "executable"),
      node("Mul", ["match", "zero"], "mismatch"),
      { ...node("Concat", ["mismatch", "needs_input", "executable"], "logits"), ...alongColumns },
    ],
  };
}

/**
 * Reads the weights if `linearGraph` wrote the bytes for this number of features; null for any other graph.
 * @throws {SluiceError} MODEL_INVALID if the bytes are not a graph
 */
export function readLinearGraph(bytes: Uint8Array, features: number): LinearWeights | null {
  const constants = constantsOf(bytes);
  const floats = (name: string, length: number): Float32Array => {
    const values = new Float32Array(length);
    const content = constants.get(name);
    if (content?.length === values.byteLength) new Uint8Array(values.buffer).set(content);
    return values;
  };
  const weights = {
    mean: floats("mean", features),
    scale: floats("scale", features),
    weights: floats("weights", 2 * features),
    bias: floats("bias", 2),
  };
  return onnxModel(linearGraph(weights)).equals(bytes) ? weights : null;
}

/**
 * Computes the graph's output for a matrix of features. @throws {SluiceError} MODEL_RUN_FAILED if a value is not finite
 */
export function runLinearGraph({ mean, scale, weights, bias }: LinearWeights, features: Matrix): Matrix {
  const values = new Float32Array(3 * features.rows);
  for (let row = 0, at = 0; row < features.rows; row += 1) {
    let [match, lacks] = [bias[0], bias[1]];
    for (let f = 0; f < mean.length; f += 1, at += 1) {
      const standardised = (features.values[at] - mean[f]) * scale[f];
      match += standardised * weights[2 * f];
      lacks += standardised * weights[2 * f + 1];
    }
    values[3 * row + 1] = match - softplus(-lacks);
    values[3 * row + 2] = match - softplus(lacks);
  }
  return requireFinite({ rows: features.rows, columns: 3, values });
}

/** log(1 + exp(x)) without overflow. */
const softplus = (x: number): number => Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x)));
