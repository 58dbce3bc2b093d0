import type { ScoredCandidate } from "../domain/decision.js";
import type { VerifierColumn } from "../domain/model.js";
import type { RunScope } from "../domain/run-scope.js";
import type { Ranking } from "../retrieval/retriever.js";

/** Judges candidate workflows for a text. Returns scores only: tiers, inputs and status come from the catalog. */
export interface Verifier {
  readonly version: string;
  readonly capability: "development" | "production";
  /** Columns of the model's own output. */
  readonly labelOrder: readonly VerifierColumn[];
  /**
   * @param positions  candidates, as positions in the ranking's `workflowIds`
   * @returns one set of logits per position, same order
   * @throws {SluiceError} MODEL_RUN_FAILED, BACKEND_OVERLOADED, DEADLINE_EXCEEDED, REQUEST_CANCELLED
   */
  verify(
    text: string,
    ranking: Ranking,
    positions: readonly number[],
    scope: RunScope,
  ): Promise<readonly ScoredCandidate["logits"][]>;
}
