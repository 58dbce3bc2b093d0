import type { RiskDetail } from "../../src/documents/evaluation.js";
import { anovaIcc } from "../stats/design-effect.js";
import type { ClusterCounter } from "./count-clusters.js";
import { fact } from "./outcome-columns.js";

/**
 * Intra-workflow correlation of errors if every request with a candidate counts as routed, which gives more errors to
 * estimate from than the routed requests alone. In-scope requests only, because out-of-scope ones are always wrong.
 * null with fewer than two workflows.
 */
export function fullCoverageIcc(counter: ClusterCounter): number | null {
  const right = counter.has(fact.topRight);
  return anovaIcc(counter.counts({ of: counter.has(fact.inScope | fact.hasTop), event: (row) => !right(row) }));
}

export interface RiskInput {
  readonly counter: ClusterCounter;
  /** Whether there are decisions. If not, every rate is undefined. */
  readonly decided: boolean;
  readonly icc: number | null;
}

/** One rate per kind of wrong routing. */
export function riskDetail({ counter, decided, icc }: RiskInput): RiskDetail {
  const has = (bits: number) => (decided ? counter.has(bits) : () => false);
  const routed = has(fact.routed);
  const wrong = has(fact.routedWrong);
  return {
    joint_risk: counter.rate({ of: () => decided, event: wrong }),
    out_of_scope_of_routed: counter.risk({ of: routed, event: has(fact.outOfScope), icc }),
    wrong_workflow_of_routed: counter.risk({ of: routed, event: has(fact.inScope | fact.routedWrong), icc }),
    in_scope_wrong: counter.rate({ of: has(fact.inScope), event: wrong }),
  };
}
