import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bytesField, integerField, type MessagePieces } from "../../src/inference/protobuf.js";
import { jsonFile } from "./model-exports.js";
import { packageRoot } from "./package-root.js";

const shipped = join(packageRoot, "models", "default", "retriever");
/** The tensor of the shipped graph that its pooling reads, and the number of tokens that its table of positions has. */
const tokenVectors = "layernormalization_204";
const tokens = 64;

const tokenizerFiles = (): readonly (readonly [string, Buffer])[] => [
  ["tokenizer.json", readFileSync(join(shipped, "tokenizer.json"))],
  ["config.json", jsonFile({ architectures: ["BertModel"], model_type: "bert", max_position_embeddings: tokens })],
  ["tokenizer_config.json", jsonFile({ tokenizer_class: "BertTokenizer", model_max_length: tokens })],
];

/** The shipped encoder as a sentence-transformers export in the hub's layout: a graph of token vectors, and its files. */
export function shippedEncoderExport(): ReadonlyMap<string, Buffer> {
  const graph = readFileSync(join(shipped, "model.onnx"));
  return new Map([
    ["onnx/model.onnx", Buffer.concat([graph, ...tokenVectorOutput()])],
    ...tokenizerFiles(),
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

/**
 * The shipped encoder as `torch.onnx.export` writes a large pooled model: one flat folder, weights in a separate
 * file.
 */
export function pooledExportWithWeightFile(): ReadonlyMap<string, Buffer> {
  const graph = readFileSync(join(shipped, "model.onnx"));
  return new Map([...withWeightsIn("model.onnx_data", graph), ...tokenizerFiles()]);
}

/** `ModelProto.graph`, `GraphProto.initializer`, and fields of `TensorProto`. Source: onnx.proto. */
const onnxField = { graph: 7, initializer: 5, rawData: 9, externalData: 13, dataLocation: 14 } as const;
const smallestOutside = 1024;

/** Moves large weights of a graph into a file. */
function withWeightsIn(file: string, model: Buffer): ReadonlyMap<string, Buffer> {
  const weights: Buffer[] = [];
  let offset = 0;
  const entry = (key: string, value: string): MessagePieces =>
    bytesField(onnxField.externalData, [...bytesField(1, key), ...bytesField(2, value)]);
  const outside = (content: Buffer): MessagePieces => {
    const at = { location: file, offset: String(offset), length: String(content.length) };
    weights.push(content);
    offset += content.length;
    return Object.entries(at).flatMap(([key, value]) => entry(key, value));
  };
  const moved = (tensor: Buffer): MessagePieces => {
    const before = offset;
    const large = (content: Buffer) => (content.length < smallestOutside ? null : outside(content));
    const pieces = withField(tensor, onnxField.rawData, large);
    // The graph may state another location before: the last one counts.
    return offset === before ? pieces : [...pieces, ...integerField(onnxField.dataLocation, 1)];
  };
  const graph = withField(model, onnxField.graph, (content) =>
    bytesField(
      onnxField.graph,
      withField(content, onnxField.initializer, (tensor) => bytesField(onnxField.initializer, moved(tensor))),
    ),
  );
  return new Map([
    ["model.onnx", Buffer.concat(graph)],
    [file, Buffer.concat(weights)],
  ]);
}

/** A message with other pieces in place of one field; null keeps it as it is. */
function withField(message: Buffer, field: number, change: (content: Buffer) => MessagePieces | null): MessagePieces {
  const pieces: Uint8Array[] = [];
  let place = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[place++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (place < message.length) {
    const start = place;
    const tag = varint();
    const length = lengthOf(tag % 8, varint);
    const content = message.subarray(place, place + length);
    place += length;
    const changed = Math.floor(tag / 8) === field ? change(content) : null;
    pieces.push(...(changed ?? [message.subarray(start, place)]));
  }
  return pieces;
}

/** Bytes of a field's content by its wire type; the value of a varint is read here and has none left. */
function lengthOf(wireType: number, varint: () => number): number {
  if (wireType === 2) return varint();
  if (wireType === 0) varint();
  return { 1: 8, 5: 4 }[wireType] ?? 0;
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
