import type { RunScope } from "../../documents/run-scope.js";
import type { Scores } from "./best-positions.js";

/** Scores of one text over the whole active catalog. */
export interface Ranking extends Scores {
  /** Workflow ids in index order (not ranked), the same in every ranking of a retriever. */
  readonly workflowIds: readonly string[];
  /** Whether the model read only the beginning of the text. */
  readonly truncated: boolean;
}

export interface Retriever {
  readonly version: string;
  readonly capability: "development" | "production";
  /**
   * Index order is the order of the workflows that the retriever was loaded with.
   * @throws {SluiceError} MODEL_RUN_FAILED, SERVER_OVERLOADED, DEADLINE_EXCEEDED, REQUEST_CANCELLED
   */
  rank(text: string, scope: RunScope): Promise<Ranking>;
}
