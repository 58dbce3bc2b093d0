import { setImmediate } from "node:timers/promises";
import type { Catalog, Workflow } from "../documents/catalog.js";
import type { EncoderRetrieverModel, RetrieverModel, VerifierModel } from "../documents/model.js";
import type { PoolStatistics } from "../documents/pool-statistics.js";
import { type RunScope, unbounded } from "../documents/run-scope.js";
import type { TextScores, TextToScore } from "../documents/text-scores.js";
import { SluiceError } from "../base/error.js";
import { InferencePool, type InferencePoolOptions } from "../inference/pool.js";
import type { ScorerSpec } from "../inference/protocol.js";
import { compileInputPatterns, type InputPatterns } from "./inputs/input-patterns.js";
import { activeWorkflows } from "./policy/eligibility.js";
import { type EmbeddingCache, embeddingKey } from "./retrieval/embedding-cache.js";
import { parseRetrieverModel } from "./retrieval/parse-retriever.js";
import { storedTexts, vectorBytes } from "./retrieval/stored-vectors.js";
import {
  type EncodedTexts,
  encodeCatalog,
  encodeRequests,
  loadTextEncoder,
  type OpenTransformer,
  openTransformer,
  type TransformerEncoder,
} from "./retrieval/text-encoder.js";
import { type ModelFiles, modelFileName } from "./retrieval/model-files.js";
import type { WarmUpOptions } from "./retrieval/warm-up-options.js";
import { unpackScores } from "./scoring/packed-scores.js";
import { writeCatalogLines } from "./catalog-lines.js";
import { parseVerifierModel } from "./verification/parse-verifier.js";

export interface LoadedModels {
  /** Versions of both models. */
  readonly modelVersion: string;
  /** Names of the columns that the verifier's graph reads; null for a verifier that reads texts. */
  readonly features: readonly string[] | null;
  /** Scores a text in one of the threads. */
  readonly scoreText: (request: TextToScore, scope: RunScope) => Promise<TextScores>;
  /** For searches that the event loop makes itself. */
  readonly patterns: InputPatterns;
  /** Why the models cannot answer; empty while they can. */
  readonly problems: () => readonly string[];
  readonly statistics: () => PoolStatistics;
  /**
   * The vectors of the catalog's texts as a bundle keeps them; null for a retriever without a transformer. Fits the heads
   * of a large catalog.
   */
  readonly vectorBytes: () => Promise<Buffer | null>;
  readonly close: () => Promise<void>;
}

export interface ModelSources {
  readonly retrieverFiles: ModelFiles;
  readonly verifierFiles: ModelFiles;
  /** Signed vectors of the one catalog that is loaded; by default its texts are encoded. */
  readonly vectorBytes?: Buffer | null;
  /** The same catalog as threads read it; written by default. */
  readonly catalogLines?: Uint8Array | undefined;
}

/** How the threads run and how the index is warmed. */
export interface LoadModelsOptions extends Omit<InferencePoolOptions, "entry">, Omit<WarmUpOptions, "jobsInFlight"> {
  /** true: the cache also keeps the vectors of the texts that are scored. Default false. */
  readonly cachesRequests?: boolean;
}

/** Warm-up jobs per thread: one runs while the next waits. */
const jobsPerWorker = 2;

const jobsInFlight = ({ workers, queueLimit }: Pick<InferencePoolOptions, "workers" | "queueLimit">): number =>
  Math.min(jobsPerWorker * workers, queueLimit);

const scoringThread = new URL("./scoring/scoring.worker.js", import.meta.url);

interface OverOptions extends Pick<WarmUpOptions, "onProgress" | "signal"> {
  /** Signed vectors of the catalog; by default its texts are encoded. */
  readonly vectorBytes?: Buffer | null | undefined;
  readonly catalogLines?: Uint8Array | undefined;
}

/** Both models in inference threads, without a catalog. */
export interface OpenModels {
  /** Indexes a catalog in every thread. Closing the result frees the index; the threads stay. */
  over(catalog: Catalog, options?: OverOptions): Promise<LoadedModels>;
  /** Stops the threads; refers to nothing else. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the inference threads and has them load both models for a catalog and build the whole index.
 * @throws {SluiceError} MODEL_INVALID, MODEL_RUN_FAILED, CATALOG_INVALID, INTERRUPTED
 */
export async function loadModels(
  catalog: Catalog,
  sources: ModelSources,
  options: LoadModelsOptions,
): Promise<LoadedModels> {
  requireActive(catalog);
  const open = await openModels(sources, options);
  try {
    const { vectorBytes, catalogLines } = sources;
    return { ...(await open.over(catalog, { ...options, vectorBytes, catalogLines })), close: open.close };
  } catch (error) {
    await open.close();
    throw error;
  }
}

/**
 * Starts the inference threads for work over several catalogs: the threads, and the encoder in each, serve all of them.
 * @throws {SluiceError} MODEL_INVALID, MODEL_RUN_FAILED
 */
export async function openModels(
  { retrieverFiles, verifierFiles }: ModelSources,
  options: Omit<LoadModelsOptions, "onProgress" | "signal">,
): Promise<OpenModels> {
  const models = {
    retriever: parseRetrieverModel(retrieverFiles),
    verifier: parseVerifierModel(verifierFiles),
  };
  requireTogether(models.retriever, models.verifier);
  const pool = new InferencePool({ ...options, entry: scoringThread });
  try {
    const sources = { retrieverFiles, verifierFiles };
    const encoder = await openEncoder(sources, models.retriever, pool, options);
    return {
      over: (catalog, watch = {}) =>
        scorerOver(catalog, { models, sources, pool, encoder }, { ...watch, jobsInFlight: jobsInFlight(options) }),
      close: closing(pool, encoder?.cache),
    };
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/**
 * Vectors of texts as requests, by text as written; null for a retriever without an encoder.
 * @throws {SluiceError} MODEL_INVALID, MODEL_RUN_FAILED, INTERRUPTED
 */
export async function vectorsOfTexts(
  retrieverFiles: ModelFiles,
  texts: readonly string[],
  options: Omit<LoadModelsOptions, "cachesRequests">,
): Promise<ReadonlyMap<string, Float32Array> | null> {
  const model = parseRetrieverModel(retrieverFiles);
  const pool = new InferencePool(options);
  try {
    if (model.kind === "encoder") {
      const transformer = await openNamed(retrieverFiles, model, pool);
      return await encodeRequests(transformer, texts, { ...options, jobsInFlight: jobsInFlight(options) });
    }
    const encoder = await loadTextEncoder(retrieverFiles, model, pool);
    if (encoder === null) return null;
    const vectors = new Map<string, Float32Array>();
    for (const text of texts) {
      vectors.set(text, (await encoder.encode(model.prefix.query + text, unbounded)).vector);
    }
    return vectors;
  } finally {
    await pool.close();
  }
}

/** A function that keeps the pool alive and none of the files that were loaded into it. */
const closing = (pool: InferencePool, cache: EmbeddingCache | undefined) => async (): Promise<void> => {
  await pool.close();
  await cache?.save();
};

interface OpenParts {
  readonly models: { readonly retriever: RetrieverModel; readonly verifier: VerifierModel };
  readonly sources: Pick<ModelSources, "retrieverFiles" | "verifierFiles">;
  readonly pool: InferencePool;
  readonly encoder: OpenEncoder | null;
}

interface OpenEncoder {
  readonly transformer: OpenTransformer;
  readonly cache: EmbeddingCache | undefined;
  /** The same cache where it also keeps the vectors of scored texts. */
  readonly ofRequests: EmbeddingCache | undefined;
}

/** The transformer; a failure names the files that run. */
const openNamed = (files: ModelFiles, model: EncoderRetrieverModel, pool: InferencePool): Promise<OpenTransformer> =>
  naming(filesThatRun(model, "retriever"), () => openTransformer(files, model, pool));

/** null for a retriever without a transformer. */
async function openEncoder(
  { retrieverFiles }: Pick<ModelSources, "retrieverFiles">,
  model: RetrieverModel,
  pool: InferencePool,
  { cache: open, cachesRequests = false }: Pick<LoadModelsOptions, "cache" | "cachesRequests">,
): Promise<OpenEncoder | null> {
  if (model.kind !== "encoder") return null;
  const transformer = await openNamed(retrieverFiles, model, pool);
  const cache = await open?.(transformer.identity);
  return { transformer, cache, ofRequests: cachesRequests ? cache : undefined };
}

async function scorerOver(
  catalog: Catalog,
  { models, sources, pool, encoder }: OpenParts,
  { vectorBytes: stored = null, catalogLines, ...watch }: OverOptions & Pick<WarmUpOptions, "jobsInFlight">,
): Promise<LoadedModels> {
  requireActive(catalog);
  const ofRetriever = filesThatRun(models.retriever, "retriever");
  const active = activeWorkflows(catalog);
  const texts = await encodedTexts(encoder, { workflows: active, stored, watch, files: ofRetriever });
  const retrieverFiles = encoder === null ? sources.retrieverFiles : descriptionOf(sources.retrieverFiles);
  const { verifierFiles } = sources;
  const spec: ScorerSpec = {
    kind: "scorer",
    catalog: catalogLines ?? (await writeCatalogLines(catalog, () => setImmediate())),
    ...models,
    retrieverFiles,
    verifierFiles,
    encodedCatalog: specOf(texts),
    built: null,
  };
  const scorer = await naming([...ofRetriever, ...filesThatRun(models.verifier, "verifier")], () =>
    pool.loadScorer(spec, watch),
  );
  const patterns = compileInputPatterns(catalog);
  const scoreText: LoadedModels["scoreText"] = async (request, scope) =>
    unpackScores(await scorer.score(request, scope), patterns.list);
  return {
    modelVersion: `${models.retriever.version}+${models.verifier.version}`,
    features: "features" in models.verifier ? models.verifier.features : null,
    scoreText: encoder?.ofRequests === undefined ? scoreText : cachingVectors(scoreText, encoder, encoder.ofRequests),
    patterns,
    problems: () => pool.problems(),
    statistics: () => pool.statistics(),
    vectorBytes: async () =>
      texts === null || encoder === null ? null : vectorBytes(encoder.transformer, active, texts),
    close: async () => scorer.release(),
  };
}

/** Scores texts with the vectors of the cache, and keeps those that a thread had to make. */
function cachingVectors(
  score: LoadedModels["scoreText"],
  { transformer: { identity, model } }: OpenEncoder,
  cache: EmbeddingCache,
): LoadedModels["scoreText"] {
  return async (request, scope) => {
    const key = embeddingKey(identity, { text: model.prefix.query + request.text, cut: false });
    const scores = await score({ ...request, vector: cache.get(key) ?? "wanted" }, scope);
    if (scores.vector !== null) cache.put(key, scores.vector);
    return scores;
  };
}

interface TextsToEncode {
  readonly workflows: readonly Workflow[];
  /** Bytes of a bundle; large, so that nothing that outlives the load may refer to them. */
  readonly stored: Buffer | null;
  readonly watch: WarmUpOptions;
  /** Named where the encoder fails. */
  readonly files: readonly string[];
}

async function encodedTexts(
  encoder: OpenEncoder | null,
  { workflows, stored, watch, files }: TextsToEncode,
): Promise<EncodedTexts<TransformerEncoder> | null> {
  if (encoder === null) return null;
  const { transformer, cache } = encoder;
  if (stored !== null) return storedTexts(transformer, workflows, stored);
  const options = cache === undefined ? watch : { ...watch, cache: async () => cache };
  return naming(files, () => encodeCatalog(transformer, workflows, options));
}

function specOf(texts: EncodedTexts<TransformerEncoder> | null): ScorerSpec["encodedCatalog"] {
  if (texts === null) return null;
  const { encoder, vectors, heads } = texts;
  return { encoder: encoder.loaded.model, vectors: vectors.toShare, heads };
}

/** The files of a retriever without the encoder's, which the threads have. */
const descriptionOf = (files: ModelFiles): ModelFiles => new Map([...files].filter(([path]) => path === modelFileName));

/** @throws {SluiceError} CATALOG_INVALID */
function requireActive(catalog: Catalog): void {
  if (activeWorkflows(catalog).length > 0) return;
  throw new SluiceError("CATALOG_INVALID", "the catalog has no active workflow");
}

/** Files of a model directory that decide how long it runs, with its folder in a bundle. */
function filesThatRun(model: RetrieverModel | VerifierModel, folder: string): readonly string[] {
  const { graph, tokenizer } = model as { readonly graph?: string; readonly tokenizer?: string };
  return [graph, tokenizer].flatMap((path) => (path === undefined ? [] : [`${folder}/${path}`]));
}

/** Names the files of a model that failed to run. */
async function naming<T>(files: readonly string[], load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (thrown) {
    if (!(thrown instanceof SluiceError) || thrown.code !== "MODEL_RUN_FAILED" || files.length === 0) throw thrown;
    const { message, hint, cause } = thrown;
    throw new SluiceError("MODEL_RUN_FAILED", `${files.join(", ")}: ${message}`, {
      ...(hint === undefined ? {} : { hint }),
      cause,
      details: { files },
    });
  }
}

/** @throws {SluiceError} MODEL_INVALID when the verifier was fitted on the similarities of another retriever */
function requireTogether(retriever: RetrieverModel, verifier: VerifierModel): void {
  if (verifier.kind !== "evidence" || verifier.retriever === retriever.version) return;
  const message = `the verifier was fitted on the similarities of the retriever ${verifier.retriever}, found ${retriever.version}`;
  throw new SluiceError("MODEL_INVALID", message, {
    hint: "Fit a verifier for this retriever: sluice model fit --retriever DIR --out FOLDER",
  });
}
