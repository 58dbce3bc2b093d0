import { toCamel } from "../domain/camel.js";
import type { Workflow } from "../domain/catalog.js";
import { checkSchema } from "../domain/check-schema.js";
import { type VerifierModel, verifierSchemas } from "../domain/model.js";
import { SluiceError } from "../errors/error.js";
import type { InferencePool } from "../inference/pool.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { kindOf, modelFile, type ModelFiles, modelFileName, readModelJson } from "../retrieval/model-files.js";
import { PairEvidence } from "./pair-evidence.js";
import { PairVerifier } from "./pair-verifier.js";
import type { Verifier } from "./verifier.js";

/** @throws {SluiceError} MODEL_INVALID, also when the label order names a label twice */
export function parseVerifierModel(files: ModelFiles): VerifierModel {
  const what = `verifier ${modelFileName}`;
  const json = readModelJson(files, "verifier");
  switch (kindOf(json, ["pair_evidence", "cross_encoder"], what)) {
    case "pair_evidence": {
      const model = toCamel(checkSchema(verifierSchemas.pair_evidence, json, what, "MODEL_INVALID"));
      if (new Set(model.labelOrder).size === 3) return model;
      throw new SluiceError("MODEL_INVALID", `${what}: label_order must name each of the three labels once`);
    }
    case "cross_encoder":
      return toCamel(checkSchema(verifierSchemas.cross_encoder, json, what, "MODEL_INVALID"));
  }
}

/**
 * Loads a verifier for these workflows; they keep the order of the retriever's rankings.
 * @throws {SluiceError} MODEL_INVALID
 */
export async function loadVerifier(
  files: ModelFiles,
  workflows: readonly Workflow[],
  patterns: InputPatterns,
  pool: InferencePool,
): Promise<Verifier> {
  const model = parseVerifierModel(files);
  const graph = modelFile(files, model.graph, "verifier");
  switch (model.kind) {
    case "pair_evidence":
      return PairVerifier.create(model, graph, new PairEvidence(workflows, model.lexical, patterns), pool);
    case "cross_encoder":
      throw new SluiceError("MODEL_INVALID", `verifiers of kind ${model.kind} cannot be loaded`);
  }
}
