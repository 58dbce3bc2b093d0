/** Hugging Face exports in memory, and what a graph would say of itself. */
import type { GraphFacts, GraphPortFacts } from "../../src/inference/inspect-graph.js";
import { type ModelExport, readExport } from "../../train/exports/model-export.js";

export const jsonFile = (value: unknown): Buffer => Buffer.from(JSON.stringify(value), "utf8");

/** An export of these JSON files by path; it has a tokenizer without content unless one is given. */
export function exportOf(files: Readonly<Record<string, unknown>> = {}): ModelExport {
  const all = Object.entries({ "tokenizer.json": {}, ...files });
  return readExport(new Map(all.map(([path, value]) => [path, jsonFile(value)])));
}

/** A float output with a size for each dimension; words are sizes that may vary. */
export const port = (name: string, ...shape: readonly (number | string)[]): GraphPortFacts => ({
  name,
  element_type: "float32",
  shape,
});

/** A transformer graph with these outputs. */
export function factsOf(...outputs: readonly GraphPortFacts[]): GraphFacts {
  const inputs = ["input_ids", "attention_mask"].map((name) => ({
    name,
    element_type: "int64",
    shape: ["batch", "sequence"],
  }));
  return { inputs, outputs };
}

export const tokenVectors = port("last_hidden_state", "batch", "sequence", 32);
export const sentenceVectors = port("sentence_embedding", "batch", 32);
export const logits = (columns: number): GraphPortFacts => port("logits", "batch", columns);

/** The modules of a sentence-transformers model, by the last part of their class names. */
export const modules = (...names: readonly string[]) =>
  names.map((name, index) => ({
    idx: index,
    path: index === 0 ? "" : `${index}_${name}`,
    type: `sentence_transformers.models.${name}`,
  }));
