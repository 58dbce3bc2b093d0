import type { RiskTier } from "../../src/documents/choices.js";
import type { DecisionThresholds } from "../../src/router/policy/decide.js";

/** Thresholds with the metadata that an evaluation shows. Every calibration has this shape. */
export interface EvaluatedThresholds extends DecisionThresholds {
  readonly tiers: Readonly<
    Record<
      RiskTier,
      { readonly confidence: number | null; readonly margin: number | null; readonly target_risk: number | null }
    >
  >;
  /** Declared share of out-of-scope traffic; null if none was declared. */
  readonly out_of_scope_share: number | null;
}
