import type { ScoredCandidate } from "../domain/decision.js";
import type { VerifierLabel } from "../domain/model.js";
import type { Ranking } from "../retrieval/retriever.js";

/** Judges candidate workflows for a text. Returns scores only: tiers, inputs and status come from the catalog. */
export interface Verifier {
  readonly version: string;
  readonly capability: "development" | "production";
  readonly labelOrder: readonly VerifierLabel[];
  /**
   * @param positions  candidates, as positions in the ranking's `workflowIds`
   * @returns one set of logits per position, same order
   * @throws {SluiceError} MODEL_RUN_FAILED, BACKEND_OVERLOADED, DEADLINE_EXCEEDED
   */
  verify(text: string, ranking: Ranking, positions: readonly number[]): Promise<readonly ScoredCandidate["logits"][]>;
}
