import type { Calibration } from "../../src/domain/calibration.js";
import type { Evaluation } from "../../src/domain/evaluation.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { rateOf } from "../../src/stats/rate.js";
import { confidenceMetrics } from "./confidence.js";
import { decisionMetrics } from "./decisions.js";
import { outcomeOf, trialsOf } from "./record-outcome.js";
import { retrievalMetrics } from "./retrieval.js";

export interface EvaluateOptions {
  readonly records: readonly ScoredRecord[];
  /** "all" takes every fold. */
  readonly fold: Evaluation["fold"];
  readonly runSha256: string;
  /** Number of candidates that the verifier saw, of the run. */
  readonly topK: number;
  /** null: no decisions; the confidence is the verifier's own probability. */
  readonly calibration: { readonly sha256: string; readonly document: Calibration } | null;
}

/**
 * Every metric of one fold of one run, from its scored records alone; decisions come from the `decide()` that serves.
 * Records with an `errorCode` are counted in `exampleErrors` and are in no other number, `requests` included.
 * The order of the records does not matter.
 */
export function evaluateRecords(options: EvaluateOptions): Evaluation {
  const { fold, calibration, topK, runSha256 } = options;
  const inFold = options.records.filter((record) => fold === "all" || record.fold === fold);
  const sound = inFold.filter((record) => record.errorCode === null).sort((a, b) => (a.id < b.id ? -1 : 1));
  const outcomes = sound.map((record) => outcomeOf(record, calibration?.document ?? null));
  const inScope = outcomes.filter((o) => o.inScope);
  return {
    schemaVersion: 1,
    runSha256,
    calibrationSha256: calibration?.sha256 ?? null,
    fold,
    requests: outcomes.length,
    inScope: inScope.length,
    outOfScope: outcomes.length - inScope.length,
    exampleErrors: inFold.length - sound.length,
    workflows: new Set(inScope.map((o) => o.record.workflowId)).size,
    retrieval: retrievalMetrics(outcomes, topK),
    verifiedTop1: rateOf(trialsOf(inScope, (o) => o.topIsRight)),
    ...decisionMetrics(outcomes, calibration?.document ?? null),
    ...confidenceMetrics(outcomes),
  };
}
