import { toCamel } from "../domain/camel.js";
import type { Workflow } from "../domain/catalog.js";
import { checkSchema } from "../domain/check-schema.js";
import { type VerifierModel, verifierSchemas } from "../domain/model.js";
import type { ModelHost } from "../inference/model-host.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { requireKind, modelFile, type ModelFiles, modelFileName, readModelJson } from "../retrieval/model-files.js";
import { transformerFiles } from "../retrieval/transformer-files.js";
import { requireNormaliser } from "../retrieval/words/normaliser.js";
import { checkIdToLabel } from "./check-id-to-label.js";
import { CrossEncoderVerifier } from "./cross-encoder-verifier.js";
import { KernelEvidence } from "./kernel-evidence.js";
import { labelMapping } from "./label-mapping.js";
import { PairEvidence } from "./pair-evidence.js";
import { PairVerifier } from "./pair-verifier.js";
import type { Verifier } from "./verifier.js";

/**
 * The description of a verifier, complete: its label order can be read, the export does not contradict it, and every
 * file that it names is there.
 * @throws {SluiceError} MODEL_INVALID
 */
export function parseVerifierModel(files: ModelFiles): VerifierModel {
  const model = verifierDescription(files);
  if (model.kind !== "cross_encoder") requireNormaliser(model.normaliser, `verifier ${modelFileName}`);
  labelMapping(model.labelOrder);
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
  switch (requireKind(json, ["pair_evidence", "cross_encoder", "kernel_evidence"], what)) {
    case "pair_evidence":
      return toCamel(checkSchema(verifierSchemas.pair_evidence, json, what, "MODEL_INVALID"));
    case "cross_encoder":
      return toCamel(checkSchema(verifierSchemas.cross_encoder, json, what, "MODEL_INVALID"));
    case "kernel_evidence":
      return toCamel(checkSchema(verifierSchemas.kernel_evidence, json, what, "MODEL_INVALID"));
  }
}

/**
 * Loads a verifier for these workflows; they follow the order of the retriever's rankings.
 * @throws {SluiceError} MODEL_INVALID
 */
export async function loadVerifier(
  files: ModelFiles,
  workflows: readonly Workflow[],
  patterns: InputPatterns,
  pool: ModelHost,
): Promise<Verifier> {
  const model = parseVerifierModel(files);
  switch (model.kind) {
    case "pair_evidence": {
      const graph = modelFile(files, model.graph, "verifier");
      return PairVerifier.create(model, graph, new PairEvidence(workflows, model.lexical, patterns), pool);
    }
    case "kernel_evidence": {
      const graph = modelFile(files, model.graph, "verifier");
      return PairVerifier.create(model, graph, new KernelEvidence(workflows, patterns), pool);
    }
    case "cross_encoder":
      return CrossEncoderVerifier.create({ model, files: transformerFiles(files, model, "verifier") }, workflows, pool);
  }
}
