import type { BaselineComparison, PairedVerdict } from "../../src/documents/baseline.js";
import type { Band } from "../../src/documents/evaluation.js";
import type { WorkflowId } from "../../src/documents/primitives.js";

/** Kinds of suggestions, in the order in which they are interleaved. */
export const suggestionKinds = ["add_examples", "move_example", "describe", "merge", "label"] as const;
export type SuggestionKind = (typeof suggestionKinds)[number];

/** A catalog change and the requests that support it. */
export interface Suggestion {
  readonly kind: SuggestionKind;
  readonly workflows: readonly string[];
  /** Ids of requests whose texts become examples. */
  readonly requests: readonly string[];
  /** Number of wrong requests or misplaced examples that support it. */
  readonly support: number;
  /** Description of the change; contains no request text. */
  readonly sentence: string;
  readonly changes: readonly CatalogChange[];
}

/** Effect of a change on how often the right workflow ranks first, on held-out requests. */
export interface Gain {
  /** Number of in-scope requests, and of those whose right workflow ranked first before and after the change. */
  readonly in_scope: number;
  readonly before: number;
  readonly after: number;
  /** Share after the change minus share before it; null without in-scope requests. */
  readonly difference: number | null;
  /** Band of the difference, from resampled workflows. */
  readonly band: Band | null;
  readonly p_value: number | null;
  /** `a_better`: the change is better. */
  readonly verdict: PairedVerdict;
  /** Metrics that need no thresholds: changed catalog (A) and current catalog (B). */
  readonly comparison: BaselineComparison;
}

export interface MeasuredSuggestion extends Suggestion {
  readonly gain: Gain;
}

/**
 * One edit of a catalog. It contains request texts, so it is written only to files that the operator chose and printed
 * only on request.
 */
export type CatalogChange =
  | { readonly kind: "add_examples"; readonly workflow_id: WorkflowId; readonly examples: readonly string[] }
  | { readonly kind: "move_example"; readonly from: WorkflowId; readonly to: WorkflowId; readonly example: string }
  | { readonly kind: "merge"; readonly into: WorkflowId; readonly from: WorkflowId }
  | { readonly kind: "describe"; readonly workflow_id: WorkflowId; readonly capability: string };
