import { toCamel } from "../domain/camel.js";
import { checkSchema } from "../domain/check-schema.js";
import type { Workflow } from "../domain/catalog.js";
import { type RetrieverModel, retrieverSchemas } from "../domain/model.js";
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

/** The value of `kind`, where it is one of the known ones. @throws {SluiceError} MODEL_INVALID */
export function kindOf<K extends string>(json: unknown, kinds: readonly K[], what: string): K {
  const found = typeof json === "object" && json !== null && "kind" in json ? json.kind : undefined;
  const kind = kinds.find((known) => known === found);
  if (kind !== undefined) return kind;
  throw new SluiceError("MODEL_INVALID", `${what}: /kind must be one of ${kinds.join(", ")}`);
}

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

/** Loads a retriever and warms its whole index. */
export async function loadRetriever(
  files: ModelFiles,
  workflows: readonly Workflow[],
  pool: InferencePool,
): Promise<Retriever> {
  const model = parseRetrieverModel(files);
  switch (model.kind) {
    case "lexical":
      return LexicalRetriever.create(model, workflows, pool);
    case "encoder":
      throw new SluiceError("MODEL_INVALID", `retrievers of kind ${model.kind} cannot be loaded`);
  }
}
