import { command, say, SluiceError } from "../../base/error.js";
import { posix } from "node:path";
import type { EncoderRetrieverModel } from "../../documents/model.js";
import type { TransformerFiles } from "../../inference/protocol.js";

export const modelFileName = "router_model.json";

/** Files of a model directory by relative path: the bytes that were hashed are the bytes that are used. */
export type ModelFiles = ReadonlyMap<string, Buffer>;

export interface DescribedFiles<Model> {
  readonly model: Model;
  readonly files: ModelFiles;
}

/** Parses `router_model.json`. @throws {SluiceError} MODEL_INVALID */
export function readModelJson(files: ModelFiles, role: string): unknown {
  const bytes = files.get(modelFileName);
  if (bytes === undefined) {
    throw new SluiceError("MODEL_INVALID", `${role} directory: no ${modelFileName}`, {
      hint: say`Create one with: ${command`sluice model describe DIR --write`}`,
    });
  }
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch (cause) {
    throw new SluiceError("MODEL_INVALID", `${role} directory: ${modelFileName} is not well-formed JSON`, { cause });
  }
}

/** Returns the value of `kind` if it is a known one. @throws {SluiceError} MODEL_INVALID */
export function requireKind<K extends string>(json: unknown, kinds: readonly K[], what: string): K {
  const found = typeof json === "object" && json !== null && "kind" in json ? json.kind : undefined;
  const kind = kinds.find((known) => known === found);
  if (kind !== undefined) return kind;
  throw new SluiceError("MODEL_INVALID", `${what}: /kind must be one of ${kinds.join(", ")}`, {
    hint: say`Fit the model again (${command`sluice model fit`}), or describe an export: ${command`sluice model describe`}.`,
  });
}

/** Returns a file that the model's description names. @throws {SluiceError} MODEL_INVALID  names the missing file */
export function modelFile(files: ModelFiles, path: string, role: string): Buffer {
  const bytes = files.get(path);
  if (bytes !== undefined) return bytes;
  throw new SluiceError("MODEL_INVALID", `${role} directory: no ${path}, although its ${modelFileName} names it`, {
    hint: "Restore the file from the export that the model came from.",
  });
}

/** The fields of a model description that name a transformer graph and state how to run it. */
export type TransformerModel = Pick<
  EncoderRetrieverModel,
  "graph" | "external_data" | "tokenizer" | "max_tokens" | "output"
>;

/**
 * Collects the files that a model description names, in the form that threads need.
 * @param role  name of the directory in messages
 * @throws {SluiceError} MODEL_INVALID  names a missing file
 */
export function transformerFiles(files: ModelFiles, model: TransformerModel, role: string): TransformerFiles {
  const folder = posix.dirname(model.graph);
  return {
    graph: {
      bytes: modelFile(files, model.graph, role),
      externalData: model.external_data.map((path) => {
        return { path: posix.relative(folder, path), bytes: modelFile(files, path, role) };
      }),
    },
    tokenizer: modelFile(files, model.tokenizer, role),
    maxTokens: model.max_tokens,
    output: model.output,
  };
}
