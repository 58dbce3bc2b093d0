import { asksForMissingInput } from "./attribution.js";
import type { RecordOutcome } from "./metrics/record-outcome.js";
import type { Decision } from "../src/documents/decision.js";

/** How a request can end, from best to worst for an in-scope request. */
export const endings = ["routed_right", "asked_right", "declined", "asked_wrong", "routed_wrong"] as const;
export type Ending = (typeof endings)[number];

/** The ending of a decided request. For an out-of-scope request only declining is right. */
export function endingOf(outcome: RecordOutcome, decision: Decision): Ending {
  if (decision.decision === "LLM_REQUIRED") return "declined";
  const right = outcome.inScope && decision.workflow_id === outcome.record.workflow_id;
  if (decision.decision === "ROUTE") return right ? "routed_right" : "routed_wrong";
  return right && asksForMissingInput(outcome.record, decision) ? "asked_right" : "asked_wrong";
}

export type Effect = "better" | "worse" | "neutral";

/** What a changed ending means for the caller. */
export function effectOf(before: Ending, after: Ending): Effect {
  const gain = endings.indexOf(before) - endings.indexOf(after);
  if (gain === 0) return "neutral";
  return gain > 0 ? "better" : "worse";
}
