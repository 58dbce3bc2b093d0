/** Tiny exports in the form of Hugging Face: real graphs and tokenizers, written here. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { toFloat16 } from "./to-float16.js";
import { onnxModel } from "../../src/inference/onnx-graph.js";
import { probeDocuments, probeTexts } from "../../train/exports/probe-texts.js";
import { jsonFile } from "./model-exports.js";
import { lookupGraph } from "./transformers.js";
import { bertSpecials, bertTokenizer } from "./tokenizer-files.js";

/** Words of the probes, so that their tokens differ. */
const words = [
  ...new Set(
    [...probeTexts, ...probeDocuments]
      .join(" ")
      .toLowerCase()
      .split(/[^a-z0-9]+/),
  ),
]
  .filter((word) => word !== "")
  .sort();

export const exportedTokenizer = bertTokenizer(words);

/** Numbers of a token's vector. */
export const width = 4;

const vocabulary = bertSpecials.length + words.length;
/** A number in [-1, 1) for each position, the same in every run. */
const patterned = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => ((i * 37) % 64) / 32 - 1);

/** Vectors of all tokens; the padding token's are so small that they are no maximum. */
function embeddings(): Float32Array {
  const values = patterned(vocabulary * width);
  values.fill(-100, 0, width);
  return values;
}

const lookup = (scale: number) =>
  lookupGraph({
    name: "table",
    dimensions: [vocabulary, width],
    values: embeddings().map((value) => value * scale),
  });

/** `encoderGraph` with weights and output in float16. */
export const halfEncoderGraph = (): Buffer =>
  onnxModel(lookupGraph({ name: "table", dimensions: [vocabulary, width], values: toFloat16(embeddings()) }));

/** One vector for each token: its row of a table. `scale` stands for rounding to another precision. */
export const encoderGraph = (scale = 1): Buffer => onnxModel(lookup(scale));

export interface ScorerGraph {
  readonly columns: number;
  /** Over the tokens; a mean counts padding too, so it depends on the batch. */
  readonly reduce?: "ReduceMax" | "ReduceMean";
  /** Applied to the logits. */
  readonly activation?: "Sigmoid" | "Softmax";
}

/** `columns` logits for each pair, from the largest or the mean vector of its tokens. */
export function scorerGraph({ columns, reduce = "ReduceMax", activation }: ScorerGraph): Buffer {
  const vectors = lookup(1);
  const weights = { name: "weights", dimensions: [width, columns], values: patterned(width * columns) };
  const attributes = [
    { name: "axes", ints: [1] },
    { name: "keepdims", int: 0 },
  ];
  return onnxModel({
    ...vectors,
    outputs: [{ name: "logits", type: "float32", dimensions: ["batch", columns] }],
    constants: [...vectors.constants, weights],
    nodes: [
      ...vectors.nodes,
      { operator: reduce, inputs: ["last_hidden_state"], outputs: ["reduced"], attributes },
      { operator: "MatMul", inputs: ["reduced", "weights"], outputs: [activation === undefined ? "logits" : "scores"] },
      ...(activation === undefined ? [] : [{ operator: activation, inputs: ["scores"], outputs: ["logits"] }]),
    ],
  });
}

const config = { model_type: "bert", max_position_embeddings: 64, pad_token_id: 0 };

/** A sentence-transformers export with prompts, mean pooling and normalisation. */
export function encoderExport(): Map<string, Buffer> {
  return new Map([
    ["config.json", jsonFile({ ...config, architectures: ["BertModel"], hidden_size: width })],
    ["tokenizer.json", exportedTokenizer],
    ["tokenizer_config.json", jsonFile({ model_max_length: 1e30, pad_token: "[PAD]", cls_token: "[CLS]" })],
    ["sentence_bert_config.json", jsonFile({ max_seq_length: 32, do_lower_case: false })],
    ["config_sentence_transformers.json", jsonFile({ prompts: { query: "query: ", document: "passage: " } })],
    [
      "modules.json",
      jsonFile([
        { idx: 0, name: "0", path: "", type: "sentence_transformers.models.Transformer" },
        { idx: 1, name: "1", path: "1_Pooling", type: "sentence_transformers.models.Pooling" },
        { idx: 2, name: "2", path: "2_Normalize", type: "sentence_transformers.models.Normalize" },
      ]),
    ],
    [
      "1_Pooling/config.json",
      jsonFile({ word_embedding_dimension: width, pooling_mode_cls_token: false, pooling_mode_mean_tokens: true }),
    ],
    ["onnx/model.onnx", encoderGraph()],
  ]);
}

/** A sequence classifier whose labels are these. */
export function scorerExport(
  labels: readonly string[],
  reduce: ScorerGraph["reduce"] = "ReduceMax",
): Map<string, Buffer> {
  const id2label = Object.fromEntries(labels.map((label, index) => [index, label]));
  return new Map([
    ["config.json", jsonFile({ ...config, architectures: ["BertForSequenceClassification"], id2label })],
    ["tokenizer.json", exportedTokenizer],
    ["tokenizer_config.json", jsonFile({ model_max_length: 48, sep_token: { content: "[SEP]" } })],
    ["model.onnx", scorerGraph({ columns: labels.length, reduce })],
  ]);
}

/** Writes the files of an export below a folder. */
export async function writeExport(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [path, bytes] of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, bytes);
  }
}
