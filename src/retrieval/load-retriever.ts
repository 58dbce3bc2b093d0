import { checkSchema } from "../domain/check-schema.js";
import { toCamel } from "../domain/camel.js";
import type { Workflow } from "../domain/catalog.js";
import { type RetrieverModel, RetrieverModelSchema } from "../domain/model.js";
import { SluiceError } from "../errors/error.js";
import type { InferencePool } from "../inference/pool.js";
import { LexicalRetriever } from "./lexical/lexical-retriever.js";
import type { Retriever } from "./retriever.js";

/** Name of the file that describes a model directory. */
export const modelFileName = "router_model.json";

/** Files of a model directory by relative path: the bytes that were hashed are the bytes that are used. */
export type ModelFiles = ReadonlyMap<string, Buffer>;

/** The parsed JSON of `router_model.json`. @throws {SluiceError} MODEL_INVALID */
export function readModelJson(files: ModelFiles, role: string): unknown {
  const bytes = files.get(modelFileName);
  if (bytes === undefined) {
    throw new SluiceError("MODEL_INVALID", `${role} directory: no ${modelFileName}`, {
      hint: "Write one with: sluice model fit-lexical",
    });
  }
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch (cause) {
    throw new SluiceError("MODEL_INVALID", `${role} directory: ${modelFileName} is not well-formed JSON`, { cause });
  }
}

export function parseRetrieverModel(files: ModelFiles): RetrieverModel {
  const what = `retriever ${modelFileName}`;
  return toCamel(checkSchema(RetrieverModelSchema, readModelJson(files, "retriever"), what, "MODEL_INVALID"));
}

/** Loads a retriever and warms its whole index. */
export function loadRetriever(
  files: ModelFiles,
  workflows: readonly Workflow[],
  pool: InferencePool,
): Promise<Retriever> {
  return LexicalRetriever.create(parseRetrieverModel(files), workflows, pool);
}
