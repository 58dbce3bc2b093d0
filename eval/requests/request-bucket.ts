import { type RequestBucket } from "../../src/documents/choices.js";
import { type Ending, endingOf } from "../compare-endings.js";
import type { RecordOutcome } from "../metrics/record-outcome.js";

type ScoredBucket = Exclude<RequestBucket, "not_scored">;

/** Bucket of each ending, for in-scope and for out-of-scope requests. */
const bucketsOfEndings: Readonly<
  Record<Exclude<Ending, "declined">, { readonly inScope: ScoredBucket; readonly outOfScope: ScoredBucket }>
> = {
  routed_right: { inScope: "right", outOfScope: "right" },
  asked_right: { inScope: "right", outOfScope: "right" },
  routed_wrong: { inScope: "routed_wrong", outOfScope: "out_of_scope_routed" },
  asked_wrong: { inScope: "asked_wrong", outOfScope: "out_of_scope_asked" },
};

export function bucketOf(outcome: RecordOutcome): ScoredBucket {
  const { decision, inScope, topIsRight } = outcome;
  if (decision === null) return inScope && !topIsRight ? "ranked_wrong" : "right";
  const ending = endingOf(outcome, decision);
  if (ending !== "declined") return bucketsOfEndings[ending][inScope ? "inScope" : "outOfScope"];
  if (!inScope) return "right";
  return topIsRight ? "declined_right" : "declined_wrong";
}
