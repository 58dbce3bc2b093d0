import type { Workflow } from "../domain/catalog.js";
import { toCamel } from "../domain/camel.js";
import { checkSchema } from "../domain/check-schema.js";
import { type RetrieverModel, retrieverSchemas, type WordKernelsRetrieverModel } from "../domain/model.js";
import type { ModelHost } from "../inference/model-host.js";
import { type EncoderIndex, EncoderRetriever, type EncoderSource } from "./encoder/encoder-retriever.js";
import { parseFusedModel, partFiles } from "./fused/fused-model.js";
import { FusedRetriever } from "./fused/fused-retriever.js";
import { WordKernelsRetriever } from "./kernels/word-kernels-retriever.js";
import { requireKind, modelFile, type ModelFiles, modelFileName, readModelJson } from "./model-files.js";
import type { Retriever } from "./retriever.js";
import { transformerFiles } from "./transformer-files.js";
import type { WarmUpOptions } from "./warm-up-options.js";
import { loadWordVectors } from "./words/load-word-vectors.js";
import { requireNormaliser } from "./words/normaliser.js";
import type { WordVectors } from "./words/word-vectors.js";

/** @throws {SluiceError} MODEL_INVALID */
export function parseRetrieverModel(files: ModelFiles): RetrieverModel {
  const what = `retriever ${modelFileName}`;
  const json = readModelJson(files, "retriever");
  switch (requireKind(json, ["encoder", "word_kernels", "fused"], what)) {
    case "encoder":
      return toCamel(checkSchema(retrieverSchemas.encoder, json, what, "MODEL_INVALID"));
    case "word_kernels": {
      const model = toCamel(checkSchema(retrieverSchemas.word_kernels, json, what, "MODEL_INVALID"));
      requireNormaliser(model.normaliser, what);
      return model;
    }
    case "fused":
      return parseFusedModel(files, json);
  }
}

/**
 * Encodes the texts of a catalog in the threads of a pool; null for a retriever that has no encoder.
 * @throws {SluiceError} those of `loadRetriever`
 */
export async function loadEncoderIndex(
  files: ModelFiles,
  workflows: readonly Workflow[],
  pool: ModelHost,
  options: WarmUpOptions = {},
): Promise<EncoderIndex | null> {
  const source = encoderSource(files, parseRetrieverModel(files));
  return source === null ? null : EncoderRetriever.index(source, workflows, pool, options);
}

/** The encoder of a retriever, by itself or as a part; null for word kernels. */
function encoderSource(files: ModelFiles, model: RetrieverModel): EncoderSource | null {
  switch (model.kind) {
    case "encoder":
      return { model, files: transformerFiles(files, model, "retriever") };
    case "fused":
      return encoderSource(partFiles(files, "encoder"), model.encoder);
    case "word_kernels":
      return null;
  }
}

export interface LoadRetrieverOptions extends WarmUpOptions {
  /** Result of `loadEncoderIndex` for the same files and workflows; computed by default. */
  readonly encoderIndex?: EncoderIndex | undefined;
}

/**
 * Loads a retriever and warms its whole index. Rankings follow the order of `workflows`.
 * @throws {SluiceError} MODEL_INVALID, CATALOG_INVALID when the model cannot index so many texts, INTERRUPTED,
 *   MODEL_RUN_FAILED, READ_FAILED and WRITE_FAILED of the cache
 */
export async function loadRetriever(
  files: ModelFiles,
  workflows: readonly Workflow[],
  pool: ModelHost,
  options: LoadRetrieverOptions = {},
): Promise<Retriever> {
  const model = parseRetrieverModel(files);
  switch (model.kind) {
    case "encoder": {
      const source = { model, files: transformerFiles(files, model, "retriever") };
      const index = options.encoderIndex ?? (await EncoderRetriever.index(source, workflows, pool, options));
      return new EncoderRetriever(model, workflows, index);
    }
    case "word_kernels": {
      const vectors = await vectorsOf(files, model, pool);
      return WordKernelsRetriever.create({ model, vectors }, workflows, pool, options);
    }
    case "fused": {
      const encoder = await loadRetriever(partFiles(files, "encoder"), workflows, pool, options);
      const wordKernels = await loadRetriever(partFiles(files, "wordKernels"), workflows, pool, options);
      return new FusedRetriever(model, { encoder, wordKernels });
    }
  }
}

async function vectorsOf(
  files: ModelFiles,
  { vectors }: WordKernelsRetrieverModel,
  pool: ModelHost,
): Promise<WordVectors | null> {
  if (vectors === null) return null;
  const graph = modelFile(files, vectors.graph, "retriever");
  const vocabulary = modelFile(files, vectors.vocabulary, "retriever");
  return loadWordVectors({ graph, vocabulary, dimensions: vectors.dimensions }, pool);
}
