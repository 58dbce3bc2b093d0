import { type RequestBucket } from "../../src/documents/choices.js";
import { type Ending, endingOf } from "../compare-endings.js";
import type { RecordOutcome } from "../metrics/record-outcome.js";

type ScoredBucket = Exclude<RequestBucket, "not_scored">;

/** Bucket of each ending, of a request in scope and of one out of scope. */
const bucketsOfEndings: Readonly<
  Record<Exclude<Ending, "declined">, { readonly inScope: ScoredBucket; readonly outOfScope: ScoredBucket }>
> = {
  routed_right: { inScope: "right", outOfScope: "right" },
  asked_right: { inScope: "right", outOfScope: "right" },
  routed_wrong: { inScope: "routed_wrong", outOfScope: "out_of_scope_routed" },
  asked_wrong: { inScope: "asked_wrong", outOfScope: "out_of_scope_asked" },
};

/** The bucket of a scored request. */
export function bucketOf(outcome: RecordOutcome): ScoredBucket {
  const { decision, inScope, topIsRight } = outcome;
  if (decision === null) return inScope && !topIsRight ? "ranked_wrong" : "right";
  const ending = endingOf(outcome, decision);
  if (ending !== "declined") return bucketsOfEndings[ending][inScope ? "inScope" : "outOfScope"];
  if (!inScope) return "right";
  return topIsRight ? "declined_right" : "declined_wrong";
}
