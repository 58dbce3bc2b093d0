import type { RunScope } from "../domain/run-scope.js";

/** Scores of one text over the whole active catalog. */
export interface Ranking {
  /** Workflow ids in index order (not ranked), the same for every ranking of one retriever. */
  readonly workflowIds: readonly string[];
  /** Score of each workflow, index order; higher is better; the retriever's own scale. */
  readonly scores: Float64Array;
  /** Positions in `workflowIds`, best first; equal scores ordered by id. */
  readonly order: Int32Array;
  /** true when the model read only the beginning of the text. */
  readonly truncated: boolean;
}

/** Proposes workflows for a text. */
export interface Retriever {
  readonly version: string;
  readonly capability: "development" | "production";
  /** @throws {SluiceError} MODEL_RUN_FAILED, BACKEND_OVERLOADED, DEADLINE_EXCEEDED, REQUEST_CANCELLED */
  rank(text: string, scope: RunScope): Promise<Ranking>;
}

/** Orders scores; ties by id, so that the order of the catalog never matters. */
export function rankScores(workflowIds: readonly string[], scores: Float64Array, truncated = false): Ranking {
  const order = Int32Array.from(workflowIds.keys()).sort((a, b) => {
    const difference = (scores[b] ?? 0) - (scores[a] ?? 0);
    if (difference !== 0) return difference;
    return (workflowIds[a] ?? "") < (workflowIds[b] ?? "") ? -1 : 1;
  });
  return { workflowIds, scores, order, truncated };
}
