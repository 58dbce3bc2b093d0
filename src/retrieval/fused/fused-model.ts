import { toCamel } from "../../domain/camel.js";
import { checkSchema } from "../../domain/check-schema.js";
import { type FusedRetrieverModel, fusedFolders, retrieverSchemas } from "../../domain/model.js";
import { SluiceError } from "../../errors/error.js";
import { type ModelFiles, modelFileName, readModelJson, requireKind } from "../model-files.js";
import { requireNormaliser } from "../words/normaliser.js";

/** The files of one part of a fused retriever, by their paths inside of its folder. */
export function partFiles(files: ModelFiles, part: keyof typeof fusedFolders): ModelFiles {
  const folder = fusedFolders[part];
  const inside = [...files].filter(([path]) => path.startsWith(folder));
  return new Map(inside.map(([path, bytes]) => [path.slice(folder.length), bytes]));
}

/** A fused retriever with the descriptions of its parts. @throws {SluiceError} MODEL_INVALID */
export function parseFusedModel(files: ModelFiles, json: unknown): FusedRetrieverModel {
  const what = `retriever ${modelFileName}`;
  const described = toCamel(checkSchema(retrieverSchemas.fused, json, what, "MODEL_INVALID"));
  const partOf = <K extends "encoder" | "word_kernels">(part: keyof typeof fusedFolders, kind: K) => {
    const at = `retriever ${fusedFolders[part]}${modelFileName}`;
    const found = readModelJson(partFiles(files, part), `retriever ${fusedFolders[part]}`);
    requireKind(found, [kind], at);
    return { found, at };
  };
  const encoder = partOf("encoder", "encoder");
  const words = partOf("wordKernels", "word_kernels");
  const encoderModel = toCamel(checkSchema(retrieverSchemas.encoder, encoder.found, encoder.at, "MODEL_INVALID"));
  const model = {
    ...described,
    prefix: encoderModel.prefix,
    encoder: encoderModel,
    wordKernels: toCamel(checkSchema(retrieverSchemas.word_kernels, words.found, words.at, "MODEL_INVALID")),
  };
  requireNormaliser(model.wordKernels.normaliser, words.at);
  const parts = [model.encoder, model.wordKernels];
  if (model.capability === "production" && parts.some(({ capability }) => capability === "development")) {
    throw new SluiceError("MODEL_INVALID", `${what}: capability production, and a part of it is for development`, {
      hint: "Describe the encoder for production, then fuse again: sluice model describe FOLDER --capability production --write",
    });
  }
  return model;
}
