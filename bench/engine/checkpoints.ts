/** Model directories for the benches: graphs with the geometry of MiniLM-L6 and random weights, so speed only. */
import { readFileSync } from "node:fs";
import type { CrossEncoderWire, EncoderRetrieverWire } from "../../src/domain/model.js";
import type { ModelFiles } from "../../src/retrieval/model-files.js";
import type { ModelSources } from "../../src/routing/load-models.js";
import { shared } from "../../test/support/shared.js";

type Batching = EncoderRetrieverWire["batching"];

export const maxTokens = 128;

type Common = Omit<CrossEncoderWire, "role" | "kind" | "output" | "label_order">;

const common = (batching: Batching): Common => ({
  schema_version: 1,
  version: "minilm-l6-geometry-int8",
  capability: "development",
  prefix: { query: "", document: "" },
  graph: "onnx/model.onnx",
  external_data: [],
  tokenizer: "tokenizer.json",
  max_tokens: maxTokens,
  batching,
});

function directory(description: object, graph: string): ModelFiles {
  return new Map([
    ["router_model.json", Buffer.from(JSON.stringify(description))],
    ["onnx/model.onnx", readFileSync(shared("models", "geometry", graph))],
    ["tokenizer.json", readFileSync(shared("models", "tiny-bert-retriever", "tokenizer.json"))],
  ]);
}

/** A bi-encoder and a cross-encoder of 6 layers, 384 wide, int8. */
export function geometryModels(batching: Batching): ModelSources {
  const retriever: EncoderRetrieverWire = {
    ...common(batching),
    role: "retriever",
    kind: "encoder",
    output: "last_hidden_state",
    dimensions: 384,
    pooling: "mean",
    normalise: true,
    description_weight: 0.3,
  };
  const verifier: CrossEncoderWire = {
    ...common(batching),
    role: "verifier",
    kind: "cross_encoder",
    output: "logits",
    label_order: ["relevance"],
  };
  return {
    retrieverFiles: directory(retriever, "minilm-l6-bi-encoder-int8.onnx"),
    verifierFiles: directory(verifier, "minilm-l6-cross-encoder-int8.onnx"),
  };
}
