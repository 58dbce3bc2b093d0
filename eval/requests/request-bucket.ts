import { type Ending, endingOf } from "../compare-endings.js";
import type { RecordOutcome } from "../metrics/record-outcome.js";

/** Outcome of a request, most urgent first; `right` needs no repair. */
export const requestBuckets = [
  "routed_wrong",
  "out_of_scope_routed",
  "asked_wrong",
  "out_of_scope_asked",
  "declined_right",
  "declined_wrong",
  "ranked_wrong",
  "not_scored",
  "right",
] as const;
export type RequestBucket = (typeof requestBuckets)[number];

/** What each bucket means, in words. */
export const bucketMeanings: Readonly<Record<RequestBucket, string>> = {
  routed_wrong: "routed to a wrong workflow",
  out_of_scope_routed: "routed although out of scope",
  asked_wrong: "question about the wrong workflow or input",
  out_of_scope_asked: "question to an out-of-scope request",
  declined_right: "declined, although the correct workflow ranked first",
  declined_wrong: "declined; another workflow ranked first",
  ranked_wrong: "another workflow ranked first; no thresholds apply",
  not_scored: "could not be scored",
  right: "correct outcome",
};

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
