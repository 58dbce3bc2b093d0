import type { PredictionSummary } from "../../src/documents/comparison.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { matthewsCorrelation } from "../stats/matthews.js";
import { binnedError, equalWidthBins } from "../stats/reliability.js";
import { atRisk, aurc } from "../stats/risk-coverage.js";
import { auroc, scoreTable } from "../stats/roc.js";
import { noPrediction } from "./prediction-records.js";

const binCount = 10;
const thresholds = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;

interface Answer {
  readonly truth: string;
  readonly answer: string;
  readonly confidence: number;
}

/** Summary of imported records (see `predictionRuns`). */
export function summarisePredictions(records: readonly ScoredRecord[]): PredictionSummary {
  const answers = records.map(answerOf);
  const confidences = answers.map(({ confidence }) => confidence);
  const right = scoreTable(
    confidences,
    answers.map(({ truth, answer }) => truth !== noPrediction && truth === answer),
  );
  const scope = scoreTable(
    confidences,
    answers.map(({ truth }) => truth !== noPrediction),
  );
  const coverage = (risk: number): number | null =>
    answers.length === 0 ? null : (atRisk(right, answers.length, risk)?.coverage ?? 0);
  return {
    requests: answers.length,
    out_of_scope: answers.length - scope.totalEvents,
    ...bestOperatingPoint(answers),
    auroc: auroc(scope),
    aurc: aurc(right),
    coverage_at_90: coverage(0.1),
    coverage_at_95: coverage(0.05),
    expected_calibration_error: binnedError(equalWidthBins(right, binCount, "left")),
  };
}

/** The first candidate is the prediction; its retrieval score is the system's confidence, not rounded. */
function answerOf({ workflow_id: workflowId, candidates }: ScoredRecord): Answer {
  const [first] = candidates;
  return {
    truth: workflowId ?? noPrediction,
    answer: first?.workflow_id ?? noPrediction,
    confidence: first?.retrieval_score ?? 0,
  };
}

function bestOperatingPoint(answers: readonly Answer[]) {
  const points = thresholds.map((threshold) => {
    const pairs = answers.map(({ truth, answer, confidence }) => ({
      truth,
      predicted: confidence >= threshold ? answer : noPrediction,
    }));
    return { threshold, pairs, matthews: matthewsCorrelation(pairs).value };
  });
  const defined = points.filter((point) => point.matthews !== null);
  const best = defined.reduce<(typeof points)[number] | null>(
    (most, point) => (most === null || (point.matthews ?? -1) > (most.matthews ?? -1) ? point : most),
    null,
  );
  const share = (outOfScope: boolean): number | null => {
    const own = (best?.pairs ?? []).filter(({ truth }) => (truth === noPrediction) === outOfScope);
    return own.length === 0 ? null : own.filter(({ truth, predicted }) => truth === predicted).length / own.length;
  };
  return {
    best_threshold: best?.threshold ?? null,
    in_scope_accuracy: share(false),
    out_of_scope_recall: share(true),
    matthews: best?.matthews ?? null,
  };
}
