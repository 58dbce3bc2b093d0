import { posix } from "node:path";
import type { EncoderRetrieverModel } from "../../documents/model.js";
import type { TransformerFiles } from "../../inference/protocol.js";
import { type ModelFiles, modelFile } from "./model-files.js";

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
