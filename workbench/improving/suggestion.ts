import type { BaselineComparison, PairedVerdict } from "../../src/domain/baseline.js";
import type { Band } from "../../src/domain/evaluation.js";
import type { CatalogChange } from "./catalog-change.js";

/** What a suggestion does; in the order in which they take turns. */
export const suggestionKinds = ["add_examples", "move_example", "describe", "merge", "label"] as const;
export type SuggestionKind = (typeof suggestionKinds)[number];

/** A change of the catalog that the requests it was chosen from speak for. */
export interface Suggestion {
  readonly kind: SuggestionKind;
  readonly workflows: readonly string[];
  /** Ids of requests whose texts become examples. */
  readonly requests: readonly string[];
  /** Wrong requests, or misplaced examples, that speak for it. */
  readonly support: number;
  /** What to do, in words; holds no text of a request. */
  readonly sentence: string;
  readonly changes: readonly CatalogChange[];
}

/** Whether the right workflow comes first, before and after, on held-out requests. */
export interface Gain {
  /** In-scope requests, and those of them whose right workflow came first. */
  readonly inScope: number;
  readonly before: number;
  readonly after: number;
  /** Share after minus share before; null without in-scope requests. */
  readonly difference: number | null;
  /** Of the difference, over resampled workflows. */
  readonly band: Band | null;
  readonly pValue: number | null;
  /** `a_better`: the change is better. */
  readonly verdict: PairedVerdict;
  /** Every measure that needs no thresholds: changed (A) and as it is (B). */
  readonly comparison: BaselineComparison;
}

export interface MeasuredSuggestion extends Suggestion {
  readonly gain: Gain;
}
