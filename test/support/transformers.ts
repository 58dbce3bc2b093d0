/** Transformer graphs small enough to compute by hand, and the real ones of ../shared. */
import { readFileSync } from "node:fs";
import type { JobOutcome, WorkerModel } from "../../src/inference/models/worker-model.js";
import { type Graph, type GraphConstant, type GraphPort, onnxModel } from "../../src/inference/onnx-graph.js";
import type { GraphFiles, Job, JobInput, Matrix, ModelSpec } from "../../src/inference/protocol.js";
import { shared } from "./shared.js";
import { requireRows } from "../../src/inference/require-rows.js";

export const tokenInput = (name: string): GraphPort => ({ name, type: "int64", dimensions: ["batch", "tokens"] });

/** Vectors of the tokens, one row per id. */
export type Table = readonly (readonly number[])[];

export const tableConstant = (table: Table): GraphConstant => {
  return { name: "table", dimensions: [table.length, table[0]?.length ?? 0], values: Float32Array.from(table.flat()) };
};

/** input_ids [batch, tokens] -> their vectors, last_hidden_state [batch, tokens, columns]. The mask goes unused. */
export function lookupGraph(table: GraphConstant): Graph {
  return {
    name: "lookup",
    inputs: [tokenInput("input_ids"), tokenInput("attention_mask")],
    outputs: [
      {
        name: "last_hidden_state",
        type: table.values instanceof Float32Array ? "float32" : "float16",
        dimensions: ["batch", "tokens", table.dimensions[1] ?? 0],
      },
    ],
    constants: [table],
    nodes: [{ operator: "Gather", inputs: ["table", "input_ids"], outputs: ["last_hidden_state"] }],
  };
}

export const inside = (graph: Graph): GraphFiles => ({ bytes: onnxModel(graph), externalData: [] });

/**
 * Sums a table over input_ids, plus 100 x the sum of token_type_ids, per row.
 * @param keepColumn  the output is [batch, 1], else [batch]
 */
export function sumGraph(table: readonly number[], keepColumn: boolean): Graph {
  return {
    name: "sum",
    inputs: [tokenInput("input_ids"), tokenInput("attention_mask"), tokenInput("token_type_ids")],
    outputs: [{ name: "logits", type: "float32", dimensions: keepColumn ? ["batch", 1] : ["batch"] }],
    constants: [
      { name: "table", dimensions: [table.length], values: Float32Array.from(table) },
      { name: "hundred", dimensions: [1], values: Float32Array.of(100) },
      { name: "axis", dimensions: [1], values: BigInt64Array.of(1n) },
    ],
    nodes: [
      { operator: "Gather", inputs: ["table", "input_ids"], outputs: ["values"] },
      { operator: "Cast", inputs: ["token_type_ids"], outputs: ["types"], attributes: [{ name: "to", int: 1 }] },
      { operator: "Mul", inputs: ["types", "hundred"], outputs: ["hundreds"] },
      { operator: "Add", inputs: ["values", "hundreds"], outputs: ["terms"] },
      {
        operator: "ReduceSum",
        inputs: ["terms", "axis"],
        outputs: ["logits"],
        attributes: [{ name: "keepdims", int: keepColumn ? 1 : 0 }],
      },
    ],
  };
}

export type EncoderSpec = Extract<ModelSpec, { readonly kind: "encoder" }>;
export type PairScorerSpec = Extract<ModelSpec, { readonly kind: "pair_scorer" }>;

const readModel = (...path: readonly string[]): Buffer => readFileSync(shared("models", ...path));

/** The BERT encoder of ../shared. */
export function tinyBert(graph: "model.onnx" | "model_quantized.onnx"): EncoderSpec {
  return {
    kind: "encoder",
    graph: { bytes: readModel("tiny-bert-retriever/onnx", graph), externalData: [] },
    tokenizer: readModel("tiny-bert-retriever/tokenizer.json"),
    maxTokens: 128,
    output: "last_hidden_state",
    pooling: "mean",
    normalise: true,
  };
}

/** The verifier of ../shared: one relevance logit per pair. */
export function interactionVerifier(documents: readonly string[]): PairScorerSpec {
  return {
    kind: "pair_scorer",
    graph: { bytes: readModel("interaction-verifier/onnx/model_quantized.onnx"), externalData: [] },
    tokenizer: readModel("interaction-verifier/tokenizer.json"),
    maxTokens: 128,
    output: "logits",
    documents,
  };
}

export const textsInput = (texts: readonly string[]): JobInput => ({ kind: "texts", texts });

export const textsJob = (id: number, texts: readonly string[]): Job => ({ id, model: 0, input: textsInput(texts) });

export const pairsJob = (id: number, text: string, documents: readonly number[]): Job => {
  return { id, model: 0, input: { kind: "pairs", text, documents } };
};

/** Outcomes in the order in which they came. */
export async function outcomesOf(model: WorkerModel, jobs: readonly Job[]): Promise<readonly JobOutcome[]> {
  const outcomes: JobOutcome[] = [];
  for await (const outcome of model.run(jobs)) outcomes.push(outcome);
  return outcomes;
}

/** The output of each job, by its id. @throws the first error of a job */
export async function matricesOf(model: WorkerModel, jobs: readonly Job[]): Promise<ReadonlyMap<number, Matrix>> {
  const matrices = new Map<number, Matrix>();
  for (const outcome of await outcomesOf(model, jobs)) {
    if ("error" in outcome) throw outcome.error;
    matrices.set(outcome.id, requireRows(outcome.output).matrix);
  }
  return matrices;
}

/** The output of one job. */
export async function runAlone(model: WorkerModel, input: JobInput): Promise<Matrix> {
  const matrix = (await matricesOf(model, [{ id: 1, model: 0, input }])).get(1);
  if (matrix === undefined) throw new Error("the job has no outcome");
  return matrix;
}

export const rowsOf = ({ rows, columns, values }: Matrix): readonly (readonly number[])[] =>
  Array.from({ length: rows }, (_, row) => [...values.subarray(row * columns, (row + 1) * columns)]);

/** The largest difference of two lists of numbers. */
export function largestDifference(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) throw new Error(`lists of ${a.length} and ${b.length} numbers`);
  return Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));
}
