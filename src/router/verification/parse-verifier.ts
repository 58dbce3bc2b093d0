import { checkSchema } from "../../documents/check-schema.js";
import { type LinearVerifierModel, type VerifierModel, verifierSchemas } from "../../documents/model.js";
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
  const model = verifierDescription(files);
  if (model.kind !== "cross_encoder") requireNormaliser(model.normaliser, `verifier ${modelFileName}`);
  labelMapping(model.label_order, model.kind === "cross_encoder" ? model.activation : "none");
  if (model.kind === "cross_encoder") {
    checkIdToLabel(files, model.label_order);
    transformerFiles(files, model, "verifier");
  } else for (const graph of linearGraphs(model)) modelFile(files, graph, "verifier");
  return model;
}

/** Paths of the graphs of a linear verifier. */
export const linearGraphs = ({ graph, graph_without_examples: without }: LinearVerifierModel): readonly string[] =>
  without === null ? [graph] : [graph, without];

/** Parses the description without comparing it with other files. @throws {SluiceError} MODEL_INVALID */
export function verifierDescription(files: ModelFiles): VerifierModel {
  const what = `verifier ${modelFileName}`;
  const json = readModelJson(files, "verifier");
  const kind = requireKind(json, ["cross_encoder", "linear"], what);
  return checkSchema(verifierSchemas[kind], json, what, "MODEL_INVALID");
}
