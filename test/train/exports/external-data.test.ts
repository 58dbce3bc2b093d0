import { inspectGraph } from "../../../src/inference/inspect-graph.js";
import { constantBytes, onnxModel } from "../../../src/inference/onnx-graph.js";
import { externalDataPath, graphFiles } from "../../../train/exports/model-export.js";
import { assert, pluck, rejects, test, throws } from "../../support/test.js";
import { linearGraph } from "../../support/graphs.js";

/** A graph whose weights are in a file of this name, and that file. */
function withWeightsIn(file: string): { readonly graph: Buffer; readonly weights: Buffer } {
  const linear = linearGraph({ columns: 2, weights: [1, 2], bias: [0] });
  const [matrix, ...others] = linear.constants;
  if (matrix === undefined) throw new Error("a linear graph has a matrix");
  const graph = onnxModel({ ...linear, constants: [{ ...matrix, file }, ...others] });
  return { graph, weights: constantBytes(matrix.values) };
}

const outside = withWeightsIn("model.onnx_data");

test("the file is found by the name that the graph uses, relative to the graph", () => {
  assert.is(externalDataPath("onnx/model.onnx", "model.onnx_data"), "onnx/model.onnx_data");
  const files = new Map([
    ["onnx/model.onnx", outside.graph],
    ["onnx/model.onnx_data", outside.weights],
  ]);
  assert.equal(graphFiles(files, "onnx/model.onnx").externalData, [
    { path: "model.onnx_data", bytes: outside.weights },
  ]);
});

test("ONNX Runtime loads the graph with the files that were found, and refuses it without", async () => {
  const files = new Map([
    ["model.onnx", outside.graph],
    ["model.onnx_data", outside.weights],
  ]);
  const facts = await inspectGraph(graphFiles(files, "model.onnx"));
  assert.equal(pluck(facts.outputs, "name"), ["output"]);
  await rejects(inspectGraph({ bytes: outside.graph, externalData: [] }), "MODEL_INVALID");
});

test("a missing weight file is named, and a file outside the directory counts as missing", () => {
  assert.match(
    throws(() => graphFiles(new Map([["model.onnx", outside.graph]]), "model.onnx"), "MODEL_INVALID").message,
    'model.onnx stores weights in "model.onnx_data", which is missing',
  );
  const climbing = withWeightsIn("../secret");
  const files = new Map([
    ["onnx/model.onnx", climbing.graph],
    ["model.onnx_data", climbing.weights],
  ]);
  throws(() => graphFiles(files, "onnx/model.onnx"), "MODEL_INVALID");
});
