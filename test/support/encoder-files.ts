/** Directories of encoder retrievers: one small enough to compute by hand, and the checkpoint of ../shared. */
import { readFileSync } from "node:fs";
import type { EncoderRetrieverModel } from "../../src/documents/model.js";
import { defaultHead, defaultSimilarity } from "../../src/router/retrieval/load-retriever.js";
import { normaliserVersion } from "../../src/router/retrieval/words.js";
import { onnxModel } from "../../src/inference/onnx-graph.js";
import { type ModelFiles, modelFileName } from "../../src/router/retrieval/model-files.js";
import { shared } from "./shared.js";
import { bertSpecials, bertTokenizer } from "./tokenizer-files.js";

const description: EncoderRetrieverModel = {
  schema_version: 1,
  role: "retriever",
  kind: "encoder",
  version: "encoder-1",
  capability: "development",
  prefix: { query: "", document: "" },
  graph: "onnx/model.onnx",
  external_data: [],
  tokenizer: "tokenizer.json",
  max_tokens: 16,
  output: "last_hidden_state",
  dimensions: 1,
  pooling: "mean",
  normalise: true,
  normaliser: normaliserVersion,
  similarity: { ...defaultSimilarity, corrected_from: null },
  head: defaultHead,
};

const directory = (model: EncoderRetrieverModel, files: readonly (readonly [string, Buffer])[]): ModelFiles =>
  new Map([[modelFileName, Buffer.from(JSON.stringify(model), "utf8")], ...files]);

/** One dimension for each word, so that a vector counts words; the special tokens and other words count nothing. */
export function wordCountEncoder(words: readonly string[], overrides: Partial<EncoderRetrieverModel> = {}): ModelFiles {
  const dimensions = words.length;
  const values = new Float32Array((bertSpecials.length + dimensions) * dimensions);
  for (const word of words.keys()) values[(bertSpecials.length + word) * dimensions + word] = 1;
  const tokens = { type: "int64", dimensions: ["batch", "sequence"] } as const;
  const graph = onnxModel({
    name: "word_count",
    inputs: [
      { name: "input_ids", ...tokens },
      { name: "attention_mask", ...tokens },
    ],
    outputs: [{ name: "last_hidden_state", type: "float32", dimensions: ["batch", "sequence", dimensions] }],
    constants: [{ name: "embeddings", dimensions: [bertSpecials.length + dimensions, dimensions], values }],
    nodes: [{ operator: "Gather", inputs: ["embeddings", "input_ids"], outputs: ["last_hidden_state"] }],
  });
  return directory({ ...description, dimensions, ...overrides }, [
    ["onnx/model.onnx", graph],
    ["tokenizer.json", bertTokenizer(words)],
  ]);
}

/** The trained two-layer checkpoint; needs ../shared. */
export function tinyBertEncoder(graph: "model.onnx" | "model_quantized.onnx"): ModelFiles {
  const file = (path: string) => [path, readFileSync(shared("models", "tiny-bert-retriever", path))] as const;
  const model: EncoderRetrieverModel = {
    ...description,
    version: "tiny-bert",
    graph: `onnx/${graph}`,
    max_tokens: 128,
    dimensions: 128,
  };
  return directory(model, [file(model.graph), file(model.tokenizer)]);
}
