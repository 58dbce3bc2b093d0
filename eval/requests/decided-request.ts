import type { AttributionBucket, Fold, RequestBucket } from "../../src/documents/choices.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { attribute } from "../attribution.js";
import { clusterOfRecord, type EvaluatedThresholds, thresholdsOfRequest } from "../metrics/evaluated-thresholds.js";
import { outcomeOf, type RecordOutcome } from "../metrics/outcome-columns.js";
import { endingOf } from "../compare-measures.js";
import type { Ending } from "../../src/documents/comparison.js";

export interface DecidedRequest {
  readonly record: ScoredRecord;
  /** See `clusterOfRecord`. */
  readonly cluster: string;
  /** null if the request could not be scored. */
  readonly outcome: RecordOutcome | null;
  readonly bucket: RequestBucket;
  /** The first stage that lost the request, or its correct outcome; null without thresholds or scores. */
  readonly stage: AttributionBucket | null;
}

export interface DecideOptions {
  /** null: nothing is decided, and the confidence is the verifier's own probability. */
  readonly thresholds: EvaluatedThresholds | null;
  /** Number of candidates that the verifier saw in this run. */
  readonly topK: number;
  readonly fold: Fold | "all";
}

/**
 * Decides the requests of one fold or of all folds with `decide()`, which also serves; keeps the order of the records.
 */
export function decideRequests(
  records: readonly ScoredRecord[],
  { fold, ...options }: DecideOptions,
): readonly DecidedRequest[] {
  return records
    .filter((record) => fold === "all" || record.fold === fold)
    .map((record) => decideRequest(record, options));
}

export function decideRequest(record: ScoredRecord, options: Omit<DecideOptions, "fold">): DecidedRequest {
  const cluster = clusterOfRecord(options.thresholds, record);
  if (record.error_code !== null) return { record, cluster, outcome: null, bucket: "not_scored", stage: null };
  const thresholds = options.thresholds === null ? null : thresholdsOfRequest(options.thresholds, record.id);
  const outcome = outcomeOf(record, thresholds);
  const { decision } = outcome;
  const stage =
    decision === null || thresholds === null ? null : attribute(outcome, decision, thresholds, options.topK);
  return { record, cluster, outcome, bucket: bucketOf(outcome), stage };
}

/** The top candidate's workflow; null if no candidate was scored. */
export const firstWorkflow = ({ outcome }: DecidedRequest): string | null => outcome?.top?.workflow_id ?? null;

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

function bucketOf(outcome: RecordOutcome): ScoredBucket {
  const { decision, inScope, topIsRight } = outcome;
  if (decision === null) return inScope && !topIsRight ? "ranked_wrong" : "right";
  const ending = endingOf(outcome, decision);
  if (ending !== "declined") return bucketsOfEndings[ending][inScope ? "inScope" : "outOfScope"];
  if (!inScope) return "right";
  return topIsRight ? "declined_right" : "declined_wrong";
}
