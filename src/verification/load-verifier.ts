import { toCamel } from "../domain/camel.js";
import type { Workflow } from "../domain/catalog.js";
import { checkSchema } from "../domain/check-schema.js";
import { type VerifierModel, verifierSchemas } from "../domain/model.js";
import type { ModelHost } from "../inference/model-host.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { requireKind, modelFile, type ModelFiles, modelFileName, readModelJson } from "../retrieval/model-files.js";
import { transformerFiles } from "../retrieval/transformer-files.js";
import { requireNormaliser } from "../retrieval/words.js";
import { Commitments } from "./commitment.js";
import { EvidenceVerifier } from "./evidence-verifier.js";
import { SimilarityEvidence } from "./similarity-evidence.js";
import type { HybridRetriever } from "../retrieval/hybrid-retriever.js";
import { checkIdToLabel } from "./check-id-to-label.js";
import { CrossEncoderVerifier } from "./cross-encoder-verifier.js";
import { labelMapping } from "./label-mapping.js";
import type { Verifier } from "./verifier.js";

/**
 * The description of a verifier, complete: its label order can be read, the export does not contradict it, and every
 * file that it names is there.
 * @throws {SluiceError} MODEL_INVALID
 */
export function parseVerifierModel(files: ModelFiles): VerifierModel {
  const model = verifierDescription(files);
  if (model.kind !== "cross_encoder") requireNormaliser(model.normaliser, `verifier ${modelFileName}`);
  labelMapping(model.labelOrder, model.kind === "cross_encoder" ? model.activation : "none");
  if (model.kind === "cross_encoder") {
    checkIdToLabel(files, model.labelOrder);
    transformerFiles(files, model, "verifier");
  } else modelFile(files, model.graph, "verifier");
  return model;
}

/** The description alone, not held against any other file. @throws {SluiceError} MODEL_INVALID */
export function verifierDescription(files: ModelFiles): VerifierModel {
  const what = `verifier ${modelFileName}`;
  const json = readModelJson(files, "verifier");
  const kind = requireKind(json, ["cross_encoder", "evidence"], what);
  return toCamel(checkSchema(verifierSchemas[kind], json, what, "MODEL_INVALID"));
}

/**
 * Loads a verifier for these workflows; they follow the order of the retriever's rankings.
 * @throws {SluiceError} MODEL_INVALID
 */
export async function loadVerifier(
  files: ModelFiles,
  retriever: Pick<HybridRetriever, "index">,
  workflows: readonly Workflow[],
  patterns: InputPatterns,
  pool: ModelHost,
): Promise<Verifier> {
  const model = parseVerifierModel(files);
  switch (model.kind) {
    case "evidence": {
      const commitments = new Commitments(workflows, retriever.index, model.commitment);
      const evidence = new SimilarityEvidence(workflows, patterns, commitments);
      return EvidenceVerifier.create(model, modelFile(files, model.graph, "verifier"), evidence, pool);
    }
    case "cross_encoder":
      return CrossEncoderVerifier.create({ model, files: transformerFiles(files, model, "verifier") }, workflows, pool);
  }
}
