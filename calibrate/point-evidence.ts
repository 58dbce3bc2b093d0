import { plannedDesignEffect, routedDesignEffect } from "./intra-cluster-correlation.js";
import type { RoutableRow } from "./routable.js";
import type { ThresholdPoint } from "./threshold-path.js";

/** What the CERTIFY fold shows at one point of the path. */
export interface PointEvidence extends ThresholdPoint {
  readonly routed: number;
  readonly errors: number;
  /** Workflows and out-of-scope groups with a routed request. */
  readonly workflows: number;
  /** At least 1: routed requests that carry the evidence of one independent request. */
  readonly designEffect: number;
  /** routed / designEffect. */
  readonly effectiveRouted: number;
  /** The same with the design effect of the TUNE fold: known without the labels of CERTIFY. */
  readonly plannedEffective: number;
}

type EvidenceRow = Omit<RoutableRow, "tier">;

/** Rows of one tier and fold, with the correlation of errors of the fold: see `fullCoverageIcc`. */
export interface FoldEvidence {
  readonly rows: readonly EvidenceRow[];
  readonly icc: number;
}

function routedAt(point: ThresholdPoint, rows: readonly EvidenceRow[]): readonly EvidenceRow[] {
  return rows.filter((row) => row.confidence >= point.confidence && row.margin >= point.margin);
}

/** Evidence at each point of the path, in its order. */
export function pathEvidence(
  path: readonly ThresholdPoint[],
  tune: FoldEvidence,
  certify: FoldEvidence,
): readonly PointEvidence[] {
  return path.map((point) => {
    const routed = routedAt(point, certify.rows);
    const planned = plannedDesignEffect(routedAt(point, tune.rows), tune.icc);
    const designEffect = routedDesignEffect(routed, certify.icc);
    return {
      ...point,
      routed: routed.length,
      errors: routed.filter((row) => row.error).length,
      workflows: new Set(routed.map((row) => row.cluster)).size,
      designEffect,
      effectiveRouted: routed.length / designEffect,
      plannedEffective: routed.length / planned,
    };
  });
}
