import type { Band, Evaluation, EvaluationDetail } from "../../src/documents/evaluation.js";
import type { Sha256 } from "../../src/base/sha256.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { attributionTable } from "../attribution.js";
import { estimate, ScoredClusters, type Statistic } from "./bands.js";
import { columnsOfRecords } from "./columns-of-records.js";
import { calibrationDetail, confidenceMetrics, confidenceStatistics, curveDetail } from "./confidence.js";
import { ClusterCounter } from "./count-clusters.js";
import { clarification, decisionMetrics, outOfScopeDetail, outOfScopeStatistics } from "./decisions.js";
import { fact, type OutcomeColumns, rowsWhere } from "./outcome-columns.js";
import { reciprocalRank, reciprocalRankStatistic, retrievalDepths, retrievalMetrics } from "./retrieval.js";
import { fullCoverageIcc, riskDetail } from "./risk.js";
import { sliceEvaluations } from "./slices.js";
import { claimsTestedOn, clusterKind, type EvaluatedThresholds } from "./evaluated-thresholds.js";

export interface EvaluateOptions {
  /** Iterated once. */
  readonly records: Iterable<ScoredRecord>;
  /** "all" includes every fold. */
  readonly fold: Evaluation["fold"];
  readonly runSha256: Sha256;
  /** Number of candidates that the verifier saw in this run. */
  readonly topK: number;
  /** null: no decisions; the confidence is the verifier's own probability. */
  readonly calibration: { readonly sha256: Sha256; readonly document: EvaluatedThresholds } | null;
  /** Number of cluster-bootstrap resamples for the bands; 0: no bands. Default 2,000. */
  readonly resamples?: number;
  /** Seed of the resampling. Default 1. */
  readonly seed?: number;
  readonly onProgress?: EvaluationProgress;
}

/** Progress callback: records read (their total is unknown in advance), then resamples drawn. */
export type EvaluationProgress = (step: "records" | "resamples", done: number) => void;

export const defaultResamples = 2000;

/**
 * Every metric of one fold of a run, computed from its scored records alone. Decisions come from `decide()`, which also
 * serves. Records with an `error_code` are counted in `scoringErrors` and in no other number, `requests` included. The
 * order of the records does not matter.
 * @throws {SluiceError} DOCUMENT_INVALID  a score is not a finite number, or two records have the same id
 */
export function evaluateRecords(options: EvaluateOptions): Evaluation {
  const { fold, calibration, topK, runSha256, onProgress } = options;
  const errors = { count: 0 };
  const columns = columnsOfRecords(inFold(options, errors), {
    calibration: calibration?.document ?? null,
    topK,
    ...(onProgress === undefined ? {} : { onProgress: (done) => onProgress("records", done) }),
  });
  const counter = new ClusterCounter(columns, claimsTestedOn(calibration?.document ?? null, fold));
  const inScope = counter.has(fact.inScope);
  const scored = new ScoredClusters(columns);
  const icc = fullCoverageIcc(counter);
  const inScopeRows = rowsWhere(columns, inScope);
  return {
    schema_version: 1,
    run_sha256: runSha256,
    calibration_sha256: calibration?.sha256 ?? null,
    fold,
    cluster: clusterKind(calibration?.document ?? null),
    requests: columns.requests,
    in_scope: inScopeRows.length,
    out_of_scope: columns.requests - inScopeRows.length,
    scoring_errors: errors.count,
    workflows: new Set(Int32Array.from(inScopeRows, (row) => columns.workflow.value[row])).size,
    retrieval: retrievalMetrics(columns, counter, topK),
    verified_top1: counter.rate({ of: inScope, event: counter.has(fact.topRight) }),
    ...decisionMetrics({ columns, counter, calibration: calibration?.document ?? null, icc }),
    ...confidenceMetrics({ columns, scored }),
    detail: detailOf({ columns, counter, scored, icc }, options),
  };
}

/** Yields the scored records of the fold and counts the failed ones. */
function* inFold({ records, fold }: EvaluateOptions, errors: { count: number }): Iterable<ScoredRecord> {
  for (const record of records) {
    if (fold !== "all" && record.fold !== fold) continue;
    if (record.error_code === null) yield record;
    else errors.count += 1;
  }
}

interface Measuring {
  readonly columns: OutcomeColumns;
  readonly counter: ClusterCounter;
  readonly scored: ScoredClusters;
  readonly icc: number | null;
}

function detailOf(measuring: Measuring, options: EvaluateOptions): EvaluationDetail {
  const { columns, counter, scored, icc } = measuring;
  const { calibration, topK, resamples = defaultResamples, seed = 1 } = options;
  const decided = calibration !== null;
  const bands = bandsOf(measuring, options);
  const confidence = { columns, counter, scored, bands };
  const inScopeClusters = counter.counts({ of: counter.has(fact.inScope), event: () => false }).length;
  return {
    resamples,
    seed,
    risk: riskDetail({ counter, decided, icc }),
    curve: curveDetail(confidence),
    calibration: calibrationDetail(confidence),
    out_of_scope: outOfScopeDetail({ ...confidence, decided }),
    retrieval: {
      depths: retrievalDepths(columns, counter, topK),
      mean_reciprocal_rank: estimate(
        reciprocalRank(columns, counter),
        inScopeClusters,
        bands["reciprocalRank"] ?? null,
      ),
    },
    clarification: clarification(columns, counter, decided),
    attribution: decided ? attributionTable(columns, counter, icc) : null,
    slices: sliceEvaluations({ columns, counter, decided, icc }),
  };
}

function bandsOf(
  { columns, counter, scored }: Measuring,
  { resamples = defaultResamples, seed = 1, onProgress }: EvaluateOptions,
): Readonly<Record<string, Band | null>> {
  if (resamples === 0) return {};
  const statistics: Readonly<Record<string, Statistic>> = {
    ...confidenceStatistics({ columns, counter, scored }),
    ...outOfScopeStatistics,
    reciprocalRank: reciprocalRankStatistic(columns, counter),
  };
  return scored.bands(statistics, {
    resamples,
    seed,
    onResample: onProgress && ((done) => onProgress("resamples", done)),
  });
}
