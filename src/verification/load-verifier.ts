import { toCamel } from "../domain/camel.js";
import type { Workflow } from "../domain/catalog.js";
import { checkSchema } from "../domain/check-schema.js";
import { type VerifierModel, VerifierModelSchema } from "../domain/model.js";
import { SluiceError } from "../errors/error.js";
import type { InferencePool } from "../inference/pool.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { type ModelFiles, modelFileName, readModelJson } from "../retrieval/load-retriever.js";
import { PairEvidence } from "./pair-evidence.js";
import { PairVerifier } from "./pair-verifier.js";
import type { Verifier } from "./verifier.js";

/** @throws {SluiceError} MODEL_INVALID, also when the label order names a label twice */
export function parseVerifierModel(files: ModelFiles): VerifierModel {
  const what = `verifier ${modelFileName}`;
  const model = toCamel(checkSchema(VerifierModelSchema, readModelJson(files, "verifier"), what, "MODEL_INVALID"));
  if (new Set(model.labelOrder).size !== 3) {
    throw new SluiceError("MODEL_INVALID", `${what}: label_order must name each of the three labels once`);
  }
  return model;
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
  const graph = files.get(model.graph);
  if (graph === undefined) throw new SluiceError("MODEL_INVALID", `verifier directory: no ${model.graph}`);
  return PairVerifier.create(model, graph, new PairEvidence(workflows, model.lexical, patterns), pool);
}
