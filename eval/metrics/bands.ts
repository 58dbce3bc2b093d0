import type { Band, Estimate, Measured } from "../../src/documents/evaluation.js";
import { percentileInterval, resampleClusters } from "../stats/cluster-bootstrap.js";
import { ScoreResampler } from "../stats/score-resampler.js";
import type { ScoreTable } from "../stats/score-table.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { fact, type OutcomeColumns, rowsWhere } from "./outcome-columns.js";

export interface BandOptions {
  /** 0 for no bands. */
  readonly resamples: number;
  /** 32-bit integer. */
  readonly seed: number;
  readonly onResample?: (done: number) => void;
}

/** One resample of whole clusters. */
export interface Resample {
  /** Right answers of the top candidate by confidence. */
  readonly correctness: ScoreTable;
  /** Scores that separate in-scope from out-of-scope requests. */
  readonly scope: ScoreTable;
  /** Sum over the drawn clusters of a quantity that each cluster has. */
  readonly sum: (ofCluster: Float64Array) => number;
}

export type Statistic = (resample: Resample) => number | null;

const confidence = 0.95;

/** Scores of the requests with a candidate, ready to be resampled. */
export class ScoredClusters {
  readonly correctness: ScoreResampler;
  readonly scope: ScoreResampler;
  /** Row of the columns for each scored row. */
  readonly rows: Uint32Array;
  /** Clusters with a scored row. */
  readonly workflows: number;
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
    this.workflows = new Set(cluster).size;
  }

  /** Sum over the scored rows of each cluster, added in the order of the scores so that it does not depend on the rows. */
  sumByCluster(term: (row: number) => number): Float64Array {
    const sums = new Float64Array(this.#columns.clusters.length);
    for (const scored of this.correctness.order) {
      const row = this.rows[scored];
      const cluster = this.#columns.cluster[row];
      sums[cluster] += term(row);
    }
    return sums;
  }

  /** The band of every statistic, from the same resamples. null with fewer than two clusters or without a value. */
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
        ...(options.onResample === undefined ? {} : { onResample: options.onResample }),
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

/** A number with its clusters and its band; an undefined number has none. */
export function estimate(measured: Measured, workflows: number, band: Band | null): Estimate {
  return { ...measured, workflows, band: measured.value === null ? null : band };
}
