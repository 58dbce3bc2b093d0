import type { Workflow } from "../../documents/catalog.js";
import type { LinearVerifierModel, VerifierModel } from "../../documents/model.js";
import type { ModelHost } from "../../inference/models/local-models.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { type DescribedFiles, modelFile, transformerFiles } from "../retrieval/model-files.js";
import { LinearVerifier } from "./linear-verifier.js";
import { SimilarityFeatures } from "./similarity-features.js";
import type { HybridRetriever } from "../retrieval/hybrid-retriever.js";
import { CrossEncoderVerifier } from "./cross-encoder-verifier.js";
import type { Verifier } from "./verifier.js";

/**
 * Loads a verifier for these workflows, which must be in the order of the retriever's rankings.
 * @throws {SluiceError} MODEL_INVALID
 */
export async function loadVerifier(
  { model, files }: DescribedFiles<VerifierModel>,
  retriever: Pick<HybridRetriever, "index">,
  workflows: readonly Workflow[],
  patterns: InputPatterns,
  pool: ModelHost,
): Promise<Verifier> {
  switch (model.kind) {
    case "linear": {
      const features = new SimilarityFeatures(workflows, retriever.index, patterns, model.commitment);
      const graph = graphFor(model, retriever.index.texts.examplesPerWorkflow);
      return LinearVerifier.create(model, modelFile(files, graph, "verifier"), features, pool);
    }
    case "cross_encoder":
      return CrossEncoderVerifier.create({ model, files: transformerFiles(files, model, "verifier") }, workflows, pool);
  }
}

/** Mean number of examples of a workflow from which a catalog counts as one with examples. */
const fewestExamples = 0.5;

/** Path of the graph for a catalog. @param examples  mean number of examples of a workflow */
const graphFor = ({ graph, graph_without_examples: without }: LinearVerifierModel, examples: number): string =>
  examples < fewestExamples && without !== null ? without : graph;
