import type { RiskTier } from "../../src/domain/choices.js";
import type { DecisionThresholds } from "../../src/policy/decide.js";

/** Thresholds that decide, with what an evaluation shows beside them. Every calibration is one. */
export interface EvaluatedThresholds extends DecisionThresholds {
  readonly tiers: Readonly<
    Record<
      RiskTier,
      { readonly confidence: number | null; readonly margin: number | null; readonly targetRisk: number | null }
    >
  >;
  /** Share of out-of-scope traffic that was declared; null when nobody did. */
  readonly outOfScopeShare: number | null;
}
