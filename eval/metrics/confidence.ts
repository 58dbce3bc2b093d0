import type {
  Band,
  CalibrationDetail,
  CurveDetail,
  Estimate,
  Evaluation,
  Measured,
} from "../../src/documents/evaluation.js";
import { brierScore, logLoss, probabilityClip } from "../stats/proper-scores.js";
import { expectedCalibrationError, reliabilityBins } from "../stats/reliability.js";
import { augrc, aurc, riskCoverageCurve } from "../stats/risk-coverage.js";
import { estimate, type ScoredClusters, type Statistic } from "./bands.js";
import type { ClusterCounter } from "./count-clusters.js";
import { fact, type OutcomeColumns } from "./outcome-columns.js";

type ConfidenceMetrics = Pick<Evaluation, "risk_coverage" | "reliability">;

const binCount = 10;
const maximumCurvePoints = 400;

export interface ConfidenceInput {
  readonly columns: OutcomeColumns;
  readonly counter: ClusterCounter;
  readonly scored: ScoredClusters;
  /** Bands by name of the statistic; empty if none were requested. */
  readonly bands: Readonly<Record<string, Band | null>>;
}

/** A number with the cluster count of the scored rows and the band of that name. */
export function banded({ scored, bands }: ConfidenceInput, value: Measured, name: string): Estimate {
  return estimate(value, scored.clusters, bands[name] ?? null);
}

/**
 * Quality of the top candidate's confidence, before any threshold, margin or input rule. An outcome is right if the top
 * candidate is the gold workflow, so an out-of-scope request is never right. Requests without a candidate have no
 * confidence: they count only in the denominator of the curve's coverage.
 */
export function confidenceMetrics({ columns, scored }: Pick<ConfidenceInput, "columns" | "scored">): ConfidenceMetrics {
  const stated = scored.correctness.table;
  return {
    risk_coverage: riskCoverageCurve(stated, columns.requests, maximumCurvePoints),
    reliability: reliabilityBins(stated, binCount),
  };
}

/** Areas under the curve. */
export function curveDetail(input: ConfidenceInput): CurveDetail {
  const stated = input.scored.correctness.table;
  return { aurc: banded(input, aurc(stated), "aurc"), augrc: banded(input, augrc(stated), "augrc") };
}

/** Calibration errors and scoring rules of the stated probabilities. */
export function calibrationDetail(input: ConfidenceInput): CalibrationDetail {
  const stated = input.scored.correctness.table;
  return {
    equal_width_error: banded(input, expectedCalibrationError(stated, binCount), "equalWidthError"),
    brier: banded(input, brierScore(stated), "brier"),
    log_loss: banded(input, logLoss(stated), "logLoss"),
  };
}

/** Resampled statistics: the bands of `curveDetail` and `calibrationDetail` come from these. */
export function confidenceStatistics({
  columns,
  counter,
  scored,
}: Omit<ConfidenceInput, "bands">): Readonly<Record<string, Statistic>> {
  const right = counter.has(fact.topRight);
  const stated = (row: number) => columns.confidence[row];
  const rows = scored.sumByCluster(() => 1);
  const squares = scored.sumByCluster((row) => (stated(row) - Number(right(row))) ** 2);
  const losses = scored.sumByCluster((row) => -Math.log(clipped(right(row) ? stated(row) : 1 - stated(row))));
  const ratio =
    (of: Float64Array): Statistic =>
    ({ sum }) =>
      sum(of) / sum(rows);
  return {
    aurc: ({ correctness }) => aurc(correctness).value,
    augrc: ({ correctness }) => augrc(correctness).value,
    equalWidthError: ({ correctness }) => expectedCalibrationError(correctness, binCount).value,
    brier: ratio(squares),
    logLoss: ratio(losses),
  };
}

const clipped = (probability: number): number => Math.min(1 - probabilityClip, Math.max(probabilityClip, probability));
