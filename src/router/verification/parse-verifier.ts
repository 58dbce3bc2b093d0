import { checkSchema } from "../../documents/check-schema.js";
import { type VerifierModel, verifierSchemas } from "../../documents/model.js";
import {
  modelFile,
  type ModelFiles,
  modelFileName,
  readModelJson,
  requireKind,
  transformerFiles,
} from "../retrieval/model-files.js";
import { requireNormaliser } from "../retrieval/words.js";
import { checkIdToLabel, labelMapping } from "./label-mapping.js";

/**
 * Parses and checks the description of a verifier: its label order is valid, the export does not contradict it, and
 * every file that it names exists.
 * @throws {SluiceError} MODEL_INVALID
 */
export function parseVerifierModel(files: ModelFiles): VerifierModel {
  const what = `verifier ${modelFileName}`;
  const json = readModelJson(files, "verifier");
  const kind = requireKind(json, ["cross_encoder", "linear"], what);
  const model = checkSchema(verifierSchemas[kind], json, what, "MODEL_INVALID");
  if (model.kind !== "cross_encoder") requireNormaliser(model.normaliser, what);
  labelMapping(model.label_order, model.kind === "cross_encoder" ? model.activation : "none");
  if (model.kind === "cross_encoder") {
    checkIdToLabel(files, model.label_order);
    transformerFiles(files, model, "verifier");
  } else {
    modelFile(files, model.graph, "verifier");
    if (model.graph_without_examples !== null) modelFile(files, model.graph_without_examples, "verifier");
  }
  return model;
}
