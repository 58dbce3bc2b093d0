import type { BaselineComparison, PairedVerdict } from "../../src/documents/baseline.js";
import type { Band } from "../../src/documents/evaluation.js";
import type { WorkflowId } from "../../src/documents/primitives.js";

/** Kinds of suggestion, in the order in which they alternate. */
export const suggestionKinds = ["add_examples", "move_example", "describe", "merge", "label"] as const;
export type SuggestionKind = (typeof suggestionKinds)[number];

/** A catalog change with the requests that support it. */
export interface Suggestion {
  readonly kind: SuggestionKind;
  readonly workflows: readonly string[];
  /** Ids of requests whose texts become examples. */
  readonly requests: readonly string[];
  /** Wrong requests, or misplaced examples, that support it. */
  readonly support: number;
  /** What to do, in words; contains no request text. */
  readonly sentence: string;
  readonly changes: readonly CatalogChange[];
}

/** Whether the right workflow comes first, before and after, on held-out requests. */
export interface Gain {
  /** In-scope requests, and those of them whose right workflow came first. */
  readonly in_scope: number;
  readonly before: number;
  readonly after: number;
  /** Share after minus share before; null without in-scope requests. */
  readonly difference: number | null;
  /** Of the difference, over resampled workflows. */
  readonly band: Band | null;
  readonly p_value: number | null;
  /** `a_better`: the change is better. */
  readonly verdict: PairedVerdict;
  /** Every metric without thresholds: changed catalog (A) and present catalog (B). */
  readonly comparison: BaselineComparison;
}

export interface MeasuredSuggestion extends Suggestion {
  readonly gain: Gain;
}

/**
 * One edit of a catalog. Contains request texts: written only to files that the operator names, and printed only on
 * request.
 */
export type CatalogChange =
  | { readonly kind: "add_examples"; readonly workflow_id: WorkflowId; readonly examples: readonly string[] }
  | { readonly kind: "move_example"; readonly from: WorkflowId; readonly to: WorkflowId; readonly example: string }
  | { readonly kind: "merge"; readonly into: WorkflowId; readonly from: WorkflowId }
  | { readonly kind: "describe"; readonly workflow_id: WorkflowId; readonly capability: string };
