import type { Catalog } from "../domain/catalog.js";
import type { RetrieverModel, VerifierModel } from "../domain/model.js";
import type { PoolStatistics } from "../domain/pool-statistics.js";
import { SluiceError } from "../errors/error.js";
import { InferencePool, type InferencePoolOptions, type LoadedScorer } from "../inference/pool.js";
import { compileInputPatterns, type InputPatterns } from "../inputs/input-patterns.js";
import { activeWorkflows } from "../policy/eligibility.js";
import { loadEncoderIndex, parseRetrieverModel } from "../retrieval/load-retriever.js";
import type { ModelFiles } from "../retrieval/model-files.js";
import type { WarmUpOptions } from "../retrieval/warm-up-options.js";
import { parseVerifierModel } from "../verification/load-verifier.js";

export interface LoadedModels {
  /** Versions of both models. */
  readonly modelVersion: string;
  /** Names of the columns that the verifier's graph reads; null for a verifier that reads texts. */
  readonly features: readonly string[] | null;
  /** Scores a text in one of the threads. */
  readonly scoreText: LoadedScorer["score"];
  /** For searches that the event loop makes itself. */
  readonly patterns: InputPatterns;
  /** true when rows of different requests may share a model run, which can move scores a little. */
  readonly sharesRuns: boolean;
  /** Why the models cannot answer; empty while they can. */
  readonly problems: () => readonly string[];
  readonly statistics: () => PoolStatistics;
  readonly close: () => Promise<void>;
}

export interface ModelSources {
  readonly retrieverFiles: ModelFiles;
  readonly verifierFiles: ModelFiles;
}

/** How the threads run and how the index is warmed. */
export type LoadModelsOptions = Omit<InferencePoolOptions, "entry"> & Omit<WarmUpOptions, "jobsInFlight">;

/** Warm-up jobs per thread: one runs while the next waits. */
const jobsPerWorker = 2;

const scoringThread = new URL("./scoring/scoring.worker.js", import.meta.url);

/** Starts the inference threads and has them load both models for a catalog and build the whole index. */
export async function loadModels(
  catalog: Catalog,
  sources: ModelSources,
  options: LoadModelsOptions,
): Promise<LoadedModels> {
  const active = activeWorkflows(catalog);
  if (active.length === 0) throw new SluiceError("CATALOG_INVALID", "the catalog has no active workflow");
  const models = {
    retriever: parseRetrieverModel(sources.retrieverFiles),
    verifier: parseVerifierModel(sources.verifierFiles),
  };
  requireTogether(models);
  const pool = new InferencePool({ ...options, entry: scoringThread });
  try {
    const jobsInFlight = Math.min(jobsPerWorker * options.workers, options.queueLimit);
    const index = await naming(filesThatRun(models.retriever, "retriever"), () =>
      loadEncoderIndex(sources.retrieverFiles, active, pool, { ...options, jobsInFlight }),
    );
    const encoderIndex = index === null ? null : { encoder: index.encoder.model, search: index.search.model };
    const both = [...filesThatRun(models.retriever, "retriever"), ...filesThatRun(models.verifier, "verifier")];
    const scorer = await naming(both, () =>
      pool.loadScorer({ kind: "scorer", catalog, ...sources, encoderIndex }, options),
    );
    return {
      modelVersion: `${models.retriever.version}+${models.verifier.version}`,
      features: "features" in models.verifier ? models.verifier.features : null,
      scoreText: (request, scope) => scorer.score(request, scope),
      patterns: compileInputPatterns(catalog),
      sharesRuns: mayShareRuns(models),
      problems: () => pool.problems(),
      statistics: () => pool.statistics(),
      close: () => pool.close(),
    };
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** Files of a model directory that decide how long it runs, with its folder in a bundle. */
function filesThatRun(model: RetrieverModel | VerifierModel, folder: string): readonly string[] {
  const named = model.kind === "fused" ? model.encoder : model;
  const { graph, tokenizer } = named as { readonly graph?: string; readonly tokenizer?: string };
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

interface ModelPair {
  readonly retriever: RetrieverModel;
  readonly verifier: VerifierModel;
}

/** Lexical models and evidence graphs give each row the same numbers in any company; transformers say so themselves. */
function mayShareRuns({ retriever, verifier }: ModelPair): boolean {
  const read = retriever.kind === "fused" ? retriever.encoder : retriever;
  return [read, verifier].some((model) => "batching" in model && model.batching === "shared");
}

/** @throws {SluiceError} MODEL_INVALID when the verifier reads what the retriever does not give */
function requireTogether({ retriever, verifier }: ModelPair): void {
  if (verifier.kind !== "kernel_evidence" || retriever.kind !== "encoder") return;
  const message = `a verifier of kind kernel_evidence requires a retriever of kind word_kernels or fused, found ${retriever.kind}`;
  throw new SluiceError("MODEL_INVALID", message, {
    hint: "Use the retriever that the verifier was fitted with, or another verifier.",
  });
}
