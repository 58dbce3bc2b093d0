import type {
  Band,
  CalibrationDetail,
  CurveDetail,
  Estimate,
  Evaluation,
  Measured,
} from "../../src/documents/evaluation.js";
import { brierScore, logLoss, probabilityClip } from "../stats/proper-scores.js";
import { measured, undefinedBecause } from "../stats/measured.js";
import { binnedError, equalMassBins, expectedCalibrationError, reliabilityBins } from "../stats/reliability.js";
import { atCoverage, atRisk, augrc, aurc, excessAurc, riskCoverageCurve } from "../stats/risk-coverage.js";
import type { ScoreTable } from "../stats/roc.js";
import { estimate, type ScoredClusters, type Statistic } from "./bands.js";
import type { ClusterCounter } from "./count-clusters.js";
import { fact, type OutcomeColumns } from "./outcome-columns.js";

type ConfidenceMetrics = Pick<Evaluation, "risk_coverage" | "reliability">;

const binCount = 10;
const maximumCurvePoints = 400;
const shownCoverages = [0.5, 0.7, 0.8, 0.9, 0.95] as const;
const shownRisks = [0.01, 0.02, 0.05, 0.1] as const;

export interface ConfidenceInput {
  readonly columns: OutcomeColumns;
  readonly counter: ClusterCounter;
  readonly scored: ScoredClusters;
  /** Bands by name of the statistic; empty if none were requested. */
  readonly bands: Readonly<Record<string, Band | null>>;
}

/** A number with the cluster count of the scored rows and the band of that name. */
export function banded({ scored, bands }: ConfidenceInput, value: Measured, name: string): Estimate {
  return estimate(value, scored.workflows, bands[name] ?? null);
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

/** Areas under the curve and operating points. @param icc  see `fullCoverageIcc` */
export function curveDetail(input: ConfidenceInput, icc: number | null): CurveDetail {
  const { columns, counter, scored } = input;
  const stated = scored.correctness.table;
  const right = counter.has(fact.topRight);
  return {
    aurc: banded(input, aurc(stated), "aurc"),
    excess_aurc: banded(input, excessAurc(stated), "excessAurc"),
    augrc: banded(input, augrc(stated), "augrc"),
    risk_at_coverage: shownCoverages.map((coverage) => {
      const point = atCoverage(stated, columns.requests, coverage);
      const accepted = (row: number) =>
        point !== null && counter.has(fact.hasTop)(row) && columns.confidence[row] >= point.threshold;
      return {
        coverage,
        achieved: point?.coverage ?? null,
        threshold: point?.threshold ?? null,
        risk: counter.rate({ of: accepted, event: (row) => !right(row), icc }),
      };
    }),
    coverage_at_risk: shownRisks.map((risk) => ({
      risk,
      coverage: banded(input, coverageAtRisk(stated, columns.requests, risk), `coverageAtRisk${risk}`),
      threshold: atRisk(stated, columns.requests, risk)?.threshold ?? null,
    })),
  };
}

function coverageAtRisk(stated: ScoreTable, requests: number, risk: number): Measured {
  if (stated.totalRows === 0) return undefinedBecause("EMPTY_DENOMINATOR", requests);
  return measured(atRisk(stated, requests, risk)?.coverage ?? 0, requests);
}

/** Calibration errors and scoring rules of the stated probabilities. */
export function calibrationDetail(input: ConfidenceInput): CalibrationDetail {
  const stated = input.scored.correctness.table;
  return {
    equal_width_error: banded(input, expectedCalibrationError(stated, binCount), "equalWidthError"),
    equal_mass_error: banded(input, binnedError(equalMassBins(stated, binCount)), "equalMassError"),
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
  const requests = new Float64Array(columns.clusters.length);
  for (const cluster of columns.cluster) requests[cluster] += 1;
  const squares = scored.sumByCluster((row) => (stated(row) - Number(right(row))) ** 2);
  const losses = scored.sumByCluster((row) => -Math.log(clipped(right(row) ? stated(row) : 1 - stated(row))));
  const ratio =
    (of: Float64Array): Statistic =>
    ({ sum }) =>
      sum(of) / sum(rows);
  const coverage =
    (risk: number): Statistic =>
    ({ correctness, sum }) =>
      atRisk(correctness, sum(requests), risk)?.coverage ?? 0;
  return {
    aurc: ({ correctness }) => aurc(correctness).value,
    excessAurc: ({ correctness }) => excessAurc(correctness).value,
    augrc: ({ correctness }) => augrc(correctness).value,
    equalWidthError: ({ correctness }) => expectedCalibrationError(correctness, binCount).value,
    equalMassError: ({ correctness }) => binnedError(equalMassBins(correctness, binCount)).value,
    brier: ratio(squares),
    logLoss: ratio(losses),
    ...Object.fromEntries(shownRisks.map((risk) => [`coverageAtRisk${risk}`, coverage(risk)])),
  };
}

const clipped = (probability: number): number => Math.min(1 - probabilityClip, Math.max(probabilityClip, probability));
