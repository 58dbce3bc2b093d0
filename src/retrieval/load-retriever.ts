import type { Workflow } from "../domain/catalog.js";
import { toCamel } from "../domain/camel.js";
import { checkSchema } from "../domain/check-schema.js";
import { type RetrieverModel, retrieverSchemas } from "../domain/model.js";
import type { InferencePool } from "../inference/pool.js";
import { EncoderRetriever } from "./encoder/encoder-retriever.js";
import { LexicalRetriever } from "./lexical/lexical-retriever.js";
import { kindOf, type ModelFiles, modelFileName, readModelJson } from "./model-files.js";
import type { Retriever } from "./retriever.js";
import { transformerFiles } from "./transformer-files.js";
import type { WarmUpOptions } from "./warm-up-options.js";

/** @throws {SluiceError} MODEL_INVALID */
export function parseRetrieverModel(files: ModelFiles): RetrieverModel {
  const what = `retriever ${modelFileName}`;
  const json = readModelJson(files, "retriever");
  switch (kindOf(json, ["lexical", "encoder"], what)) {
    case "lexical":
      return toCamel(checkSchema(retrieverSchemas.lexical, json, what, "MODEL_INVALID"));
    case "encoder":
      return toCamel(checkSchema(retrieverSchemas.encoder, json, what, "MODEL_INVALID"));
  }
}

/**
 * Loads a retriever and warms its whole index. Rankings keep the order of `workflows`.
 * @throws {SluiceError} MODEL_INVALID, CATALOG_INVALID when the model cannot index so many texts, INTERRUPTED,
 *   MODEL_RUN_FAILED, READ_FAILED and WRITE_FAILED of the cache
 */
export async function loadRetriever(
  files: ModelFiles,
  workflows: readonly Workflow[],
  pool: InferencePool,
  options: WarmUpOptions = {},
): Promise<Retriever> {
  const model = parseRetrieverModel(files);
  switch (model.kind) {
    case "lexical":
      return LexicalRetriever.create(model, workflows, pool);
    case "encoder": {
      const source = { model, files: transformerFiles(files, model, "retriever") };
      return EncoderRetriever.create(source, workflows, pool, options);
    }
  }
}
