import type { Band, Estimate, Measured } from "../../src/documents/evaluation.js";
import { percentileInterval, resampleClusters } from "../stats/cluster-bootstrap.js";
import { ScoreResampler } from "../stats/score-resampler.js";
import type { ScoreTable } from "../stats/roc.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { fact, type OutcomeColumns, rowsWhere } from "./outcome-columns.js";

export interface BandOptions {
  /** Number of resamples; 0: no bands. */
  readonly resamples: number;
  /** Seed of the resampling, 32-bit integer. */
  readonly seed: number;
  readonly onResample?: ((done: number) => void) | undefined;
}

/** One resample of whole clusters. */
export interface Resample {
  /** Requests by confidence of the top candidate; the event is a right answer. */
  readonly correctness: ScoreTable;
  /** Requests by separation score; the event is an in-scope request. */
  readonly scope: ScoreTable;
  /** Sum of a per-cluster quantity over the drawn clusters. */
  readonly sum: (ofCluster: Float64Array) => number;
}

export type Statistic = (resample: Resample) => number | null;

const confidence = 0.95;

/** Scores of the requests that have a candidate, prepared for resampling. */
export class ScoredClusters {
  readonly correctness: ScoreResampler;
  readonly scope: ScoreResampler;
  /** Index into the columns of each scored row. */
  readonly rows: Uint32Array;
  /** Number of clusters with a scored row. */
  readonly clusters: number;
  readonly #columns: OutcomeColumns;

  constructor(columns: OutcomeColumns) {
    this.#columns = columns;
    this.rows = rowsWhere(columns, (row) => (columns.facts[row] & fact.hasTop) !== 0);
    const cluster = Int32Array.from(this.rows, (row) => columns.cluster[row]);
    const bit = (wanted: number) => Uint8Array.from(this.rows, (row) => ((columns.facts[row] & wanted) === 0 ? 0 : 1));
    const scores = (of: Float64Array) => Float64Array.from(this.rows, (row) => of[row]);
    const shared = { cluster, clusters: columns.clusters.length };
    this.correctness = new ScoreResampler({
      ...shared,
      scores: scores(columns.confidence),
      events: bit(fact.topRight),
    });
    this.scope = new ScoreResampler({ ...shared, scores: scores(columns.separation), events: bit(fact.inScope) });
    this.clusters = new Set(cluster).size;
  }

  /**
   * Sum over the scored rows of each cluster. Rows are added in score order so that their original order has no effect.
   */
  sumByCluster(term: (row: number) => number): Float64Array {
    const sums = new Float64Array(this.#columns.clusters.length);
    for (const scored of this.correctness.order) {
      const row = this.rows[scored];
      const cluster = this.#columns.cluster[row];
      sums[cluster] += term(row);
    }
    return sums;
  }

  /**
   * The band of every statistic, all from the same resamples. A band is null with fewer than two clusters or if no
   * resample defines the statistic.
   */
  bands<K extends string>(
    statistics: Readonly<Record<K, Statistic>>,
    options: BandOptions,
  ): Readonly<Record<K, Band | null>> {
    const named = Object.entries<Statistic>(statistics);
    const clusters = this.#columns.clusters.length;
    const columns = resampleClusters(
      {
        clusters,
        resamples: clusters < 2 ? 0 : options.resamples,
        random: seededRandom(options.seed),
        onResample: options.onResample,
      },
      named.length,
      (draws, values) => {
        const resample: Resample = {
          correctness: this.correctness.resample(draws),
          scope: this.scope.resample(draws),
          sum: (ofCluster) => dot(draws, ofCluster),
        };
        for (const [index, [, statistic]] of named.entries()) values[index] = statistic(resample) ?? Number.NaN;
      },
    );
    const bands = named.map(([name], index) => [name, bandOf(columns[index] ?? new Float64Array())]);
    return Object.fromEntries(bands) as Record<K, Band | null>;
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}

function bandOf(values: Float64Array): Band | null {
  const interval = percentileInterval(values, confidence);
  if (interval === null) return null;
  const { lower, upper, used, dropped } = interval;
  return { method: "cluster-bootstrap", confidence, lower, upper, resamples: used, dropped };
}

/** A number with its cluster count and band. An undefined number has no band. */
export function estimate(measured: Measured, clusters: number, band: Band | null): Estimate {
  return { ...measured, clusters, band: measured.value === null ? null : band };
}
