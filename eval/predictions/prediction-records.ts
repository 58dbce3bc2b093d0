import { clusterOf } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { ScoredCandidate } from "../../src/documents/decision.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { Prediction } from "./read-predictions.js";
import { groupBy } from "../../src/base/group-by.js";

/** Placeholder workflow if a system predicted none: never right, with confidence 0. */
export const noPrediction = "(none)";

/** One system's predictions on one set of requests, as scored records. */
export interface PredictionRun {
  /** Values of the grouping columns, e.g. ["curekart", "rasa"]. */
  readonly by: readonly string[];
  readonly records: readonly ScoredRecord[];
  /** Number of rows without a label; no metric includes them. */
  readonly unlabelled: number;
  /** Maximum number of candidates per record. */
  readonly topK: number;
}

/**
 * One run per combination of `by` values, in order of first appearance.
 * @throws {SluiceError} DOCUMENT_INVALID  a run contains an id twice, or no row has a label
 */
export function predictionRuns(predictions: readonly Prediction[]): readonly PredictionRun[] {
  return [...groupBy(predictions, ({ by }) => JSON.stringify(by)).values()].map(runOf);
}

function runOf(predictions: readonly Prediction[]): PredictionRun {
  const by = predictions[0]?.by ?? [];
  const where = by.length === 0 ? "" : ` of ${by.join(" ")}`;
  refuseRepeatedIds(predictions, where);
  const records = predictions.flatMap((prediction) =>
    prediction.gold === undefined ? [] : [recordOf(prediction, prediction.gold)],
  );
  if (records.length === 0) {
    throw new SluiceError(
      "DOCUMENT_INVALID",
      `found no labelled row${where}, expected the right workflow of each row`,
      {
        hint: say`Set the field with the label, empty for out of scope: ${command`sluice eval import-predictions FILE --gold FIELD`}`,
      },
    );
  }
  return {
    by,
    records,
    unlabelled: predictions.length - records.length,
    topK: Math.max(...records.map((record) => record.candidates.length)),
  };
}

function refuseRepeatedIds(predictions: readonly Prediction[], where: string): void {
  const seen = new Set<string>();
  for (const { id } of predictions) {
    if (!seen.has(id)) seen.add(id);
    else {
      throw new SluiceError("DOCUMENT_INVALID", `found the id "${id}" twice${where}, expected each request once`, {
        hint: say`If the file contains several systems or parts, create one run for each: ${command`sluice eval import-predictions FILE --each FIELD`}`,
      });
    }
  }
}

/**
 * In-scope requests count as seen, because a system was trained on its intents. Out-of-scope requests count as far,
 * because nothing is known about them. Tiers are unknown and count as low.
 */
function recordOf(prediction: Prediction, gold: string | null): ScoredRecord {
  const { id, predicted, confidence, others, group } = prediction;
  const workflowId = gold as WorkflowId | null;
  const candidates = [
    candidate(predicted ?? noPrediction, confidence),
    ...others.map((other) => candidate(other.workflowId, other.confidence)),
  ];
  const position = candidates.findIndex((each) => each.workflow_id === workflowId);
  return {
    id,
    workflow_id: workflowId,
    cluster: clusterOf({ id, workflow_id: workflowId, group_id: group }),
    fold: "eval",
    population: workflowId === null ? "far_oos" : "seen",
    slices: {},
    expected_missing: null,
    candidates,
    early_reason: null,
    error_code: null,
    gold_rank: position < 0 ? null : position + 1,
  };
}

/** Minimum distance of a probability from 0 and 1, so that its logit is finite. Rounding restores 0 and 1. */
const smallest = 1e-16;

/** A candidate whose confidence under the identity calibrator is the given one, rounded to 6 decimals. */
function candidate(workflowId: string, confidence: number): ScoredCandidate {
  const logit = Math.log(Math.max(smallest, confidence)) - Math.log(Math.max(smallest, 1 - confidence));
  return {
    workflow_id: workflowId as WorkflowId,
    risk_tier: "low",
    eligible: true,
    retrieval_score: confidence,
    logits: { mismatch: 0, needs_input: logit - Math.LN2, executable: logit - Math.LN2 },
    missing_inputs: [],
    input_timeout: false,
  };
}
