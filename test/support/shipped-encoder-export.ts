import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bytesField, integerField, type MessagePieces } from "../../src/inference/protobuf.js";
import { jsonFile } from "./model-exports.js";
import { packageRoot } from "./package-root.js";

const shipped = join(packageRoot, "models", "default", "retriever");
/** The tensor of the shipped graph that its pooling reads, and the number of tokens that its table of positions has. */
const tokenVectors = "layernormalization_204";
const tokens = 64;

/** The shipped encoder as a sentence-transformers export in the hub's layout: a graph of token vectors, and its files. */
export function shippedEncoderExport(): ReadonlyMap<string, Buffer> {
  const graph = readFileSync(join(shipped, "model.onnx"));
  return new Map([
    ["onnx/model.onnx", Buffer.concat([graph, ...tokenVectorOutput()])],
    ["tokenizer.json", readFileSync(join(shipped, "tokenizer.json"))],
    ["config.json", jsonFile({ architectures: ["BertModel"], model_type: "bert", max_position_embeddings: tokens })],
    ["tokenizer_config.json", jsonFile({ tokenizer_class: "BertTokenizer", model_max_length: tokens })],
    ["sentence_bert_config.json", jsonFile({ max_seq_length: tokens, do_lower_case: false })],
    ["1_Pooling/config.json", jsonFile({ word_embedding_dimension: 384, pooling_mode_mean_tokens: true })],
    [
      "modules.json",
      jsonFile([
        { idx: 0, name: "0", path: "", type: "sentence_transformers.models.Transformer" },
        { idx: 1, name: "1", path: "1_Pooling", type: "sentence_transformers.models.Pooling" },
        { idx: 2, name: "2", path: "2_Normalize", type: "sentence_transformers.models.Normalize" },
      ]),
    ],
  ]);
}

/** A second graph for the same model: readers of the format add its node and its output to those of the first. */
function tokenVectorOutput(): MessagePieces {
  const name = "last_hidden_state";
  const node = [...bytesField(1, tokenVectors), ...bytesField(2, name), ...bytesField(4, "Identity")];
  const sizes = [integerField(1, 1), bytesField(2, "tokens"), integerField(1, 384)].flatMap((size) =>
    bytesField(1, size),
  );
  const type = bytesField(1, [...integerField(1, 1), ...bytesField(2, sizes)]);
  const output = [...bytesField(1, name), ...bytesField(2, type)];
  return bytesField(7, [...bytesField(1, node), ...bytesField(12, output)]);
}
