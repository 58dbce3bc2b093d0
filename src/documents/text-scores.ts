import type { ScoredCandidate } from "./decision.js";

export interface EncodedText {
  /** Shape (dimensions). */
  readonly vector: Float32Array;
  /** Whether the encoder read only the beginning of the text. */
  readonly truncated: boolean;
}

/** What the caller's cache has for a text. */
export interface LookedUpText {
  readonly text: string;
  /** null if the cache lacks it. */
  readonly encoded: EncodedText | null;
}

/**
 * A request in the form that a scoring thread receives: without context values, and with positions among the active
 * workflows instead of ids.
 */
export interface TextToScore {
  readonly text: string;
  /**
   * The text that the encoder reads, with corrected words, as looked up in the caller's cache; null without a cache.
   * If the encoder reads another text, that text is returned instead of scores.
   */
  readonly lookedUp: LookedUpText | null;
  /** 1 for each active workflow that the request may be routed to; otherwise 0. */
  readonly eligible: Uint8Array;
  readonly topK: number;
  readonly ineligibleCompetitors: number;
  readonly ranks: number;
  /** Position of a workflow that is verified wherever it ranks, after the candidates; null for none. */
  readonly also: number | null;
  /** Milliseconds until the deadline, counted from receipt in the thread; Infinity for none. */
  readonly leftMs: number;
  /** CPU time in milliseconds for matching the patterns of the candidates' inputs; null for no limit. */
  readonly patternBudgetMs: number | null;
}

/** Values of inputs that patterns found in a text. */
export interface PatternFindings {
  /** Patterns that were searched without finding a value. */
  readonly absent: ReadonlySet<string>;
  /** Patterns whose search was not completed. */
  readonly timedOut: ReadonlySet<string>;
}

/** Everything that models and patterns find in one text. All lists of candidates follow the order of the ranking. */
export interface TextScores {
  /** Candidates, as positions among the active workflows. */
  readonly positions: readonly number[];
  readonly retrievalScores: readonly number[];
  readonly logits: readonly ScoredCandidate["logits"][];
  /**
   * Features that the verifier's graph read, shape (candidates, features), row-major; null for a verifier that reads
   * texts.
   */
  readonly features: Float32Array | null;
  /** Findings for the required inputs of the eligible candidates. */
  readonly patterns: PatternFindings;
  /** Log odds that the text only ends a conversation, less those of the threshold; null without such a detector. */
  readonly closing: number | null;
  /** Log odds that the text states a wish of its own; null without such a detector. */
  readonly newWish: number | null;
  /** For the caller's cache, if it lacks the text. */
  readonly encoded: EncodedText | null;
  /** The best workflows of the catalog, as positions, best first. */
  readonly ranking: readonly number[];
  readonly textCut: boolean;
  readonly pairsCut: number;
  /** Time that the thread spent on each stage, in milliseconds. */
  readonly tookMs: { readonly verify: number; readonly resolve: number };
}
