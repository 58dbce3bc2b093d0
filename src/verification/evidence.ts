import type { TimeLeft } from "../inputs/bounded-text.js";
import type { Ranking } from "../retrieval/retriever.js";

/** Evidence that a verifier's graph reads from a text and its candidates. */
export interface Evidence {
  /** Names of the columns. */
  readonly features: readonly string[];
  /**
   * @param positions  candidates, as positions in the ranking's `workflowIds`
   * @param timeLeft  for the input patterns; unbounded unless given
   * @returns shape (positions, features), row-major
   * @throws {SluiceError} PATTERNS_TIMED_OUT; MODEL_INVALID for a ranking of another kind of retriever
   */
  of(text: string, ranking: Ranking, positions: readonly number[], timeLeft?: TimeLeft): Float32Array;
}
