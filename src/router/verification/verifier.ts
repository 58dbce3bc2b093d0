import type { VerifierColumn } from "../../documents/choices.js";
import type { RunScope } from "../../documents/run-scope.js";
import type { IndexedRanking } from "../retrieval/hybrid-retriever.js";
import type { Logits } from "./label-mapping.js";

export interface FeatureRows {
  /** Names of the columns; the same list for every text. */
  readonly names: readonly string[];
  /** Shape (candidates, features), row-major. */
  readonly values: Float32Array;
}

export interface Verification {
  /** One set of logits per candidate, in the same order. */
  readonly logits: readonly Logits[];
  /** Number of candidates whose text or contract exceeded what the model can read. */
  readonly truncatedRows: number;
  /** null for a verifier that reads texts. */
  readonly features: FeatureRows | null;
  /** Patterns of the catalog that find a value in the text; null if the verifier did not search for any. */
  readonly patterns: readonly string[] | null;
}

/** Scores candidate workflows for a text. Tiers, inputs and status come from the catalog. */
export interface Verifier {
  readonly version: string;
  readonly capability: "development" | "production";
  readonly labelOrder: readonly VerifierColumn[];
  /**
   * @param positions  candidates, as positions in the ranking's `workflowIds`
   * @throws {SluiceError} MODEL_RUN_FAILED, SERVER_OVERLOADED, DEADLINE_EXCEEDED, PATTERNS_TIMED_OUT, REQUEST_CANCELLED
   */
  verify(text: string, ranking: IndexedRanking, positions: readonly number[], scope: RunScope): Promise<Verification>;
}
