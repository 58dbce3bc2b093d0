import type { RunScope } from "../domain/run-scope.js";
import type { Scores } from "./best-positions.js";
import type { KernelIndex } from "./kernels/kernel-index.js";
import type { TextSimilarities } from "./kernels/text-kernels.js";

/** How a word-kernel ranking came about, for a verifier that reads it. */
export interface RankingKernels {
  readonly index: KernelIndex;
  /** Scores of the word kernels alone. */
  readonly ranked: Scores;
  readonly similarities: TextSimilarities;
}

/** Scores of one text over the whole active catalog, on the retriever's own scale. */
export interface Ranking extends Scores {
  /** Workflow ids in index order (not ranked), the same for every ranking of one retriever. */
  readonly workflowIds: readonly string[];
  /** true when the model read only the beginning of the text. */
  readonly truncated: boolean;
  /** Only from a retriever of kind word_kernels or fused. */
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
