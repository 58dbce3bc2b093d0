import { endingOf } from "../compare-endings.js";
import type { RecordOutcome } from "../metrics/record-outcome.js";

/** How a request ended, from the one to repair first; `right` is none to repair. */
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
  out_of_scope_routed: "out of scope, and routed",
  asked_wrong: "asked about a wrong workflow or input",
  out_of_scope_asked: "out of scope, and asked about",
  declined_right: "declined, although the right workflow came first",
  declined_wrong: "declined, and another workflow came first",
  ranked_wrong: "another workflow came first; no thresholds decide",
  not_scored: "could not be scored",
  right: "ended well",
};

/** The bucket of a scored request. */
export function bucketOf(outcome: RecordOutcome): Exclude<RequestBucket, "not_scored"> {
  const { decision, inScope, topIsRight } = outcome;
  if (decision === null) return inScope && !topIsRight ? "ranked_wrong" : "right";
  switch (endingOf(outcome, decision)) {
    case "routed_right":
    case "asked_right":
      return "right";
    case "routed_wrong":
      return inScope ? "routed_wrong" : "out_of_scope_routed";
    case "asked_wrong":
      return inScope ? "asked_wrong" : "out_of_scope_asked";
    case "declined":
      if (!inScope) return "right";
      return topIsRight ? "declined_right" : "declined_wrong";
  }
}
