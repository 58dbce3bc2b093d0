import { inspectGraph } from "../../../src/inference/inspect-graph.js";
import { assert, rejects, test } from "../../support/test.js";
import { scorerGraph } from "../../support/transformer-exports.js";

const tokens = (name: string) => ({ name, element_type: "int64", shape: ["batch", "tokens"] });

test("inputs and outputs have name, element type and shape; open sizes keep their names", async () => {
  assert.equal(await inspectGraph({ bytes: scorerGraph({ columns: 3 }), externalData: [] }), {
    inputs: [tokens("input_ids"), tokens("attention_mask")],
    outputs: [{ name: "logits", element_type: "float32", shape: ["batch", 3] }],
  });
});

test("bytes that ONNX Runtime refuses are an invalid model", async () => {
  await rejects(inspectGraph({ bytes: Buffer.from("no graph"), externalData: [] }), "MODEL_INVALID");
});
