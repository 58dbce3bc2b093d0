import type { Catalog } from "../domain/catalog.js";
import { SluiceError } from "../errors/error.js";
import { InferencePool, type InferencePoolOptions } from "../inference/pool.js";
import { compileInputPatterns, type InputPatterns } from "../inputs/input-patterns.js";
import { activeWorkflows } from "../policy/eligibility.js";
import { loadRetriever, type ModelFiles } from "../retrieval/load-retriever.js";
import type { Retriever } from "../retrieval/retriever.js";
import { loadVerifier } from "../verification/load-verifier.js";
import type { Verifier } from "../verification/verifier.js";

export interface LoadedModels {
  readonly retriever: Retriever;
  readonly verifier: Verifier;
  readonly patterns: InputPatterns;
  /** What keeps the models from answering; empty while they can. */
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}

export interface ModelSources {
  readonly retrieverFiles: ModelFiles;
  readonly verifierFiles: ModelFiles;
}

/** Starts the inference threads, loads both models for a catalog and warms the whole index. */
export async function loadModels(
  catalog: Catalog,
  sources: ModelSources,
  options: InferencePoolOptions,
): Promise<LoadedModels> {
  const active = activeWorkflows(catalog);
  if (active.length === 0) throw new SluiceError("CATALOG_INVALID", "the catalog has no active workflow");
  const patterns = compileInputPatterns(catalog);
  const pool = new InferencePool(options);
  try {
    const retriever = await loadRetriever(sources.retrieverFiles, active, pool);
    const verifier = await loadVerifier(sources.verifierFiles, active, patterns, pool);
    return { retriever, verifier, patterns, problems: () => pool.problems(), close: () => pool.close() };
  } catch (error) {
    await pool.close();
    throw error;
  }
}
