/** Directories of cross-encoder verifiers: one small enough to compute by hand, and the checkpoint of ../shared. */
import { readFileSync } from "node:fs";
import type { CrossEncoderModel } from "../../src/documents/model.js";
import { onnxModel } from "../../src/inference/onnx-graph.js";
import { type ModelFiles, modelFileName } from "../../src/router/retrieval/model-files.js";
import { shared } from "./shared.js";
import { bertSpecials, bertTokenizer } from "./tokenizer-files.js";
import { tableConstant, tokenInput } from "./transformers.js";

const description: CrossEncoderModel = {
  schema_version: 1,
  role: "verifier",
  kind: "cross_encoder",
  version: "cross-encoder-1",
  capability: "development",
  prefix: { query: "", document: "" },
  graph: "onnx/model.onnx",
  external_data: [],
  tokenizer: "tokenizer.json",
  max_tokens: 64,
  output: "logits",
  label_order: ["mismatch", "needs_input", "executable"],
  activation: "none",
};

const directory = (model: CrossEncoderModel, files: readonly (readonly [string, Buffer])[]): ModelFiles =>
  new Map([[modelFileName, Buffer.from(JSON.stringify(model), "utf8")], ...files]);

/** Outputs of a word, one for each column. */
export type WordWeights = Readonly<Record<string, readonly number[]>>;

/** Logits are the sums of the weights of all words of the pair; other words and special tokens weigh nothing. */
export function weighedWords(weights: WordWeights, overrides: Partial<CrossEncoderModel> = {}): ModelFiles {
  const columns = Object.values(weights)[0]?.length ?? 0;
  const nothing = Array.from(bertSpecials, () => Array.from({ length: columns }, () => 0));
  const graph = onnxModel({
    name: "weighed_words",
    inputs: [tokenInput("input_ids"), tokenInput("attention_mask")],
    outputs: [{ name: "logits", type: "float32", dimensions: ["batch", columns] }],
    constants: [
      tableConstant([...nothing, ...Object.values(weights)]),
      { name: "axis", dimensions: [1], values: BigInt64Array.of(1n) },
    ],
    nodes: [
      { operator: "Gather", inputs: ["table", "input_ids"], outputs: ["values"] },
      {
        operator: "ReduceSum",
        inputs: ["values", "axis"],
        outputs: ["logits"],
        attributes: [{ name: "keepdims", int: 0 }],
      },
    ],
  });
  return directory({ ...description, ...overrides }, [
    ["onnx/model.onnx", graph],
    ["tokenizer.json", bertTokenizer(Object.keys(weights))],
  ]);
}

/** The checkpoint with one relevance logit; needs ../shared. */
export function interactionVerifierFiles(): ModelFiles {
  const file = (path: string) => [path, readFileSync(shared("models", "interaction-verifier", path))] as const;
  const model: CrossEncoderModel = {
    ...description,
    version: "interaction-verifier",
    graph: "onnx/model_quantized.onnx",
    max_tokens: 128,
    label_order: ["relevance"],
  };
  return directory(model, [file(model.graph), file(model.tokenizer), file("config.json")]);
}
