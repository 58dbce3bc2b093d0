import type { ScoredCandidate } from "./decision.js";

/** A request as a scoring thread reads it: without context values, and with positions among the active workflows instead of ids. */
export interface TextToScore {
  readonly text: string;
  /** Sentence vector of the text as written, if already known; "wanted" to have it returned; null where it is not stored. */
  readonly vector: Float32Array | "wanted" | null;
  /** 1 for each active workflow that the request may be routed to, otherwise 0. */
  readonly eligible: Uint8Array;
  readonly topK: number;
  readonly ineligibleCompetitors: number;
  /** How many positions of the ranking are wanted. */
  readonly ranks: number;
  /** Milliseconds to the deadline, counted again in the thread; Infinity for none. */
  readonly leftMs: number;
  /** Milliseconds of processor time for the patterns of the candidates' inputs; null where no clock bounds a search. */
  readonly patternBudgetMs: number | null;
}

/** Values of inputs found by patterns in a text. */
export interface PatternFindings {
  /** Patterns that were looked for and found no value. */
  readonly absent: ReadonlySet<string>;
  /** Patterns that were not looked for to the end. */
  readonly timedOut: ReadonlySet<string>;
}

/** Everything that models and patterns find in one text. All lists of candidates are in the order of the ranking. */
export interface TextScores {
  /** Candidates, as positions among the active workflows. */
  readonly positions: readonly number[];
  readonly retrievalScores: readonly number[];
  readonly logits: readonly ScoredCandidate["logits"][];
  /** Columns that the verifier's graph read, shape (candidates, columns), row-major; null for one that reads texts. */
  readonly evidence: Float32Array | null;
  /** Of the required inputs of the eligible candidates. */
  readonly patterns: PatternFindings;
  /** Sentence vector of the text, where it was wanted and the encoder read the text as written and to its end. */
  readonly vector: Float32Array | null;
  /** Positions of the best workflows of the catalog, best first. */
  readonly ranking: readonly number[];
  readonly textCut: boolean;
  readonly pairsCut: number;
  /** How long the thread took, milliseconds. */
  readonly tookMs: { readonly verify: number; readonly resolve: number };
}
