import type { Workflow } from "../../documents/catalog.js";
import type {
  LexicalRetrieverModel,
  LocalRidgeSettings,
  RetrieverModel,
  SimilaritySettings,
} from "../../documents/model.js";
import type { ModelHost } from "../../inference/models/local-models.js";
import { SharedMemory } from "../../inference/shared-memory.js";
import { SharedRows } from "../../inference/shared-rows.js";
import { HybridRetriever, type IndexToShare } from "./hybrid-retriever.js";
import type { DescribedFiles, ModelFiles } from "./model-files.js";
import { catalogVectors, type EncodedTexts, encodeCatalog, loadTextEncoder, openTransformer } from "./text-encoder.js";
import type { WarmUpOptions } from "./warm-up-options.js";
import { normaliserVersion } from "./words.js";

/** Default settings of the similarity, chosen on the panel of datasets in `bench:panel`. */
export const defaultSimilarity: SimilaritySettings = {
  lexical: 0.3,
  examples: 3,
  word_weight: 0.65,
  char_min: 3,
  char_max: 5,
  corrected_from: 5,
};

/** Default settings of the head, chosen on the same panel. */
export const defaultHead: LocalRidgeSettings = { gamma: 2, own_ridge: 0.1, negative_ridge: 1, negatives: 192 };

/** A retriever without learned parts: tf-idf alone. It has no files; its head is fitted on the catalog. */
export const lexicalRetrieverModel: LexicalRetrieverModel = {
  schema_version: 1,
  role: "retriever",
  kind: "lexical",
  normaliser: normaliserVersion,
  version: "lexical-1",
  capability: "production",
  prefix: { query: "", document: "" },
  similarity: { ...defaultSimilarity, corrected_from: null },
  head: defaultHead,
};

export interface LoadRetrieverOptions extends WarmUpOptions {
  /** Index that another thread has built for the same workflows. */
  readonly built?: IndexToShare | null;
  /** Vectors of the same workflows; computed by default. Their transformer is not opened again. */
  readonly encoded?: EncodedTexts | undefined;
}

/** A retriever without a catalog; the loaded parts can serve several catalogs. */
export interface OpenRetriever {
  /** @throws {SluiceError} those of `loadRetriever` */
  over(workflows: readonly Workflow[], options?: WarmUpOptions): Promise<HybridRetriever>;
}

/**
 * Loads the parts of a retriever that do not depend on the catalog. @throws {SluiceError} MODEL_INVALID,
 * MODEL_RUN_FAILED
 */
export async function openRetriever(
  { model, files }: DescribedFiles<RetrieverModel>,
  host: ModelHost,
): Promise<OpenRetriever> {
  if (model.kind !== "encoder") {
    return { over: (workflows, options) => loadRetriever({ model, files }, workflows, host, options) };
  }
  const transformer = await openTransformer(files, model, host);
  return {
    over: async (workflows, options = {}) => {
      const { encoding, fitting } = reportedOnce(options);
      const encoded = await encodeCatalog(transformer, workflows, encoding);
      return HybridRetriever.create({ model, encoded }, workflows, fitting());
    },
  };
}

/**
 * Loads a retriever and warms its whole index. Rankings follow the order of `workflows`.
 * @throws {SluiceError} MODEL_INVALID, CATALOG_INVALID if the model cannot index so many texts, INTERRUPTED,
 *   MODEL_RUN_FAILED, READ_FAILED and WRITE_FAILED of the cache
 */
export async function loadRetriever(
  { model, files }: DescribedFiles<RetrieverModel>,
  workflows: readonly Workflow[],
  host: ModelHost,
  options: LoadRetrieverOptions = {},
): Promise<HybridRetriever> {
  const { built = null } = options;
  const { encoding, fitting } = reportedOnce(options);
  const encoded = options.encoded ?? (await encodedTexts(files, model, workflows, host, encoding));
  return HybridRetriever.create({ model, encoded, built }, workflows, fitting());
}

/** Options of the two steps of an index, of which only the first that takes time reports its progress. */
function reportedOnce<O extends WarmUpOptions>(options: O): { readonly encoding: O; readonly fitting: () => O } {
  const { onProgress } = options;
  if (onProgress === undefined) return { encoding: options, fitting: () => options };
  let isReported = false;
  const report: typeof onProgress = (done, total) => {
    isReported = true;
    onProgress(done, total);
  };
  return {
    encoding: { ...options, onProgress: report },
    fitting: () => (isReported ? { ...options, onProgress: undefined } : options),
  };
}

async function encodedTexts(
  files: ModelFiles,
  model: RetrieverModel,
  workflows: readonly Workflow[],
  host: ModelHost,
  options: LoadRetrieverOptions,
): Promise<EncodedTexts | null> {
  if (model.kind === "encoder") return encodeCatalog(await openTransformer(files, model, host), workflows, options);
  const encoder = await loadTextEncoder(files, model, host);
  if (encoder === null) return null;
  const known = options.built?.vectors ?? null;
  const vectors =
    known === null
      ? await catalogVectors(encoder, model, workflows)
      : new SharedRows(known, new SharedMemory(known.memory));
  return { encoder, vectors, heads: null };
}
