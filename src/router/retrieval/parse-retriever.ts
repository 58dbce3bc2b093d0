import { checkSchema } from "../../documents/check-schema.js";
import { type RetrieverModel, retrieverSchemas } from "../../documents/model.js";
import { type DescribedFiles, type ModelFiles, modelFileName, readModelJson, requireKind } from "./model-files.js";
import { requireNormaliser } from "./words.js";

/** Parses the description of a retriever. @throws {SluiceError} MODEL_INVALID */
export function parseRetrieverModel(files: ModelFiles): RetrieverModel {
  const what = `retriever ${modelFileName}`;
  const json = readModelJson(files, "retriever");
  const kind = requireKind(json, ["encoder", "table", "lexical"], what);
  const model: RetrieverModel = checkSchema(retrieverSchemas[kind], json, what, "MODEL_INVALID");
  requireNormaliser(model.normaliser, what);
  return model;
}

/** Adds the description of the retriever to the files of its model directory. @throws {SluiceError} MODEL_INVALID */
export const describedRetriever = (files: ModelFiles): DescribedFiles<RetrieverModel> => {
  return { model: parseRetrieverModel(files), files };
};
