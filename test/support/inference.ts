/** Loads graphs and runs matrices on an inference pool. */
import { type RunScope, unbounded } from "../../src/documents/run-scope.js";
import { plainGraph } from "../../src/inference/onnx-graph.js";
import type { LoadedModel } from "../../src/inference/models/local-models.js";
import type { InferencePool } from "../../src/inference/pool.js";
import type { Matrix } from "../../src/inference/protocol.js";

export const loadGraph = (pool: InferencePool, bytes: Uint8Array): Promise<LoadedModel> => pool.load(plainGraph(bytes));

/** Runs one matrix; nothing bounds the run unless a scope is given. */
export async function runMatrix(model: LoadedModel, matrix: Matrix, scope: RunScope = unbounded): Promise<Matrix> {
  return (await model.run({ kind: "matrix", matrix }, scope)).matrix;
}
