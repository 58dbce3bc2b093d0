import type { AttributionBucket } from "../../src/documents/choices.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { Fold } from "../../src/documents/choices.js";
import { attribute } from "../attribution.js";
import type { EvaluatedThresholds } from "../metrics/evaluated-thresholds.js";
import { outcomeOf, type RecordOutcome } from "../metrics/record-outcome.js";
import { bucketOf } from "./request-bucket.js";
import { type RequestBucket } from "../../src/documents/choices.js";

/** One request of a run, with its decision and outcome. */
export interface DecidedRequest {
  readonly record: ScoredRecord;
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

export function decideRequest(record: ScoredRecord, { thresholds, topK }: Omit<DecideOptions, "fold">): DecidedRequest {
  if (record.error_code !== null) return { record, outcome: null, bucket: "not_scored", stage: null };
  const outcome = outcomeOf(record, thresholds);
  const { decision } = outcome;
  const stage = decision === null || thresholds === null ? null : attribute(outcome, decision, thresholds, topK);
  return { record, outcome, bucket: bucketOf(outcome), stage };
}

/** The top candidate's workflow; null if no candidate was scored. */
export const firstWorkflow = ({ outcome }: DecidedRequest): string | null => outcome?.top?.workflow_id ?? null;
