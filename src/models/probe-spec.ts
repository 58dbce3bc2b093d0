import type { GraphFiles, ModelSpec, Pooling, TransformerFiles } from "../inference/protocol.js";
import type { ModelFiles } from "../retrieval/load-retriever.js";
import { graphFiles } from "./external-data.js";
import { probeDocuments } from "./probe-texts.js";

/** The fields of a description, or of a draft of one, that decide what a run gives. */
export type ProbedModel = {
  readonly graph: string;
  readonly tokenizer: string;
  readonly maxTokens: number;
  readonly output: string;
} & (
  | { readonly role: "retriever"; readonly pooling: Pooling; readonly normalise: boolean }
  | { readonly role: "verifier" }
);

/**
 * A model as a thread builds it for probes: rows of one job share a run, and pairs have the documents of the probe.
 * @throws {SluiceError} MODEL_INVALID  a file is absent
 */
export function probeSpec(files: ModelFiles, model: ProbedModel): ModelSpec {
  const graph: GraphFiles = graphFiles(files, model.graph);
  const transformer: TransformerFiles = {
    graph,
    tokenizer: files.get(model.tokenizer) ?? Buffer.alloc(0),
    maxTokens: model.maxTokens,
    output: model.output,
    sharesRuns: true,
  };
  if (model.role === "verifier") return { ...transformer, kind: "pair_scorer", documents: probeDocuments };
  return { ...transformer, kind: "encoder", pooling: model.pooling, normalise: model.normalise };
}
