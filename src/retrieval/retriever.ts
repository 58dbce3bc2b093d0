import type { RunScope } from "../domain/run-scope.js";
import type { KernelIndex } from "./kernels/kernel-index.js";
import type { TextSimilarities } from "./kernels/text-kernels.js";

/** How a word-kernel ranking came about, for a verifier that reads it. */
export interface RankingKernels {
  readonly index: KernelIndex;
  readonly similarities: TextSimilarities;
}

/** Scores of one text over the whole active catalog. */
export interface Ranking {
  /** Workflow ids in index order (not ranked), the same for every ranking of one retriever. */
  readonly workflowIds: readonly string[];
  /** Place of each workflow when the ids are sorted, index order: what decides between equal scores. */
  readonly idRanks: Int32Array;
  /** Score of each workflow, index order; higher is better; the retriever's own scale. */
  readonly scores: Float64Array;
  /** true when the model read only the beginning of the text. */
  readonly truncated: boolean;
  /** Only from a retriever of kind word_kernels. */
  readonly kernels?: RankingKernels;
}

/** Proposes workflows for a text. */
export interface Retriever {
  readonly version: string;
  readonly capability: "development" | "production";
  /**
   * Index order is the order of the workflows that the retriever was loaded for.
   * @throws {SluiceError} MODEL_RUN_FAILED, BACKEND_OVERLOADED, DEADLINE_EXCEEDED, REQUEST_CANCELLED
   */
  rank(text: string, scope: RunScope): Promise<Ranking>;
}
