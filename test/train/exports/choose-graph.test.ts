import { chooseGraph, graphsInOrder } from "../../../train/exports/choose-graph.js";
import { assert, test, throws } from "../../support/test.js";

const holding = (...paths: readonly string[]) => new Map(paths.map((path) => [path, Buffer.alloc(0)]));

test("fp32 comes first, then optimised, half precision and int8 graphs", () => {
  const expected = [
    "onnx/model.onnx",
    "model.onnx",
    "onnx/model_O2.onnx",
    "onnx/model_O4.onnx",
    "onnx/model_fp16.onnx",
    "onnx/model_qint8_avx512.onnx",
    "onnx/model_quantized.onnx",
    "model_int8.onnx",
    "decoder.onnx",
  ];
  assert.equal(graphsInOrder(holding(...[...expected].sort(), "tokenizer.json")), expected);
});

test("the choice names the others and why it was made", () => {
  const { graph, others } = chooseGraph(holding("onnx/model_quantized.onnx", "onnx/model.onnx"), undefined);
  assert.is(graph.value, "onnx/model.onnx");
  assert.match(graph.source, "first of 2 graphs (order: model.onnx, O1 to O3, fp16, int8)");
  assert.equal(others, ["onnx/model_quantized.onnx"]);
});

test("the flag picks a graph by its path", () => {
  const files = holding("onnx/model_quantized.onnx", "onnx/model.onnx");
  assert.equal(chooseGraph(files, "onnx/model_quantized.onnx").graph, {
    value: "onnx/model_quantized.onnx",
    source: "--graph",
  });
});

test("a folder without graphs, and a graph that is not there, are refused", () => {
  throws(() => chooseGraph(holding("pytorch_model.bin"), undefined), "MODEL_INVALID");
  throws(() => chooseGraph(holding("model.onnx"), "onnx/model.onnx"), "MODEL_INVALID");
});
