import type { Rate } from "../../src/documents/rate.js";
import type { ClusterCount } from "../stats/design-effect.js";
import { rateOfCounts } from "../stats/rate.js";
import type { TestedClaim } from "./evaluated-thresholds.js";
import type { OutcomeColumns } from "./outcome-columns.js";

export type Holds = (row: number) => boolean;

/** A rate: the share of the rows satisfying `of` that also satisfy `event`. */
export interface RateQuestion {
  readonly of: Holds;
  readonly event: Holds;
  /** Rows to count; default: all. */
  readonly rows?: Uint32Array;
  /** Intra-cluster correlation from a larger set of rows. */
  readonly icc?: number | null;
}

/** Counts rows by cluster. All queries share one pair of counters. */
export class ClusterCounter {
  readonly #columns: OutcomeColumns;
  readonly #trials: Float64Array;
  readonly #events: Float64Array;

  readonly #claims: readonly Partial<TestedClaim>[] | null;

  /** @param claims  those that the rows tested; null if none did */
  constructor(columns: OutcomeColumns, claims: readonly Partial<TestedClaim>[] | null = null) {
    this.#columns = columns;
    this.#claims = claims;
    this.#trials = new Float64Array(columns.clusters.length);
    this.#events = new Float64Array(columns.clusters.length);
  }

  /** A predicate: all these bits of `facts` are set. */
  has(bits: number): Holds {
    const { facts } = this.#columns;
    return (row) => (facts[row] & bits) === bits;
  }

  rate(question: RateQuestion): Rate {
    return rateOfCounts(this.counts(question), { icc: question.icc });
  }

  /** A share of wrong routes. Where the rows tested claims, its only limit is that of the claim with the same counts. */
  risk(question: RateQuestion): Rate {
    const rate = this.rate(question);
    if (this.#claims === null || rate.n === 0) return rate;
    const claim = this.#claims.find(({ errors, routed }) => errors === rate.k && routed === rate.n);
    const { upper_bound: upper = null, delta, effective_routed: effectiveN } = claim ?? {};
    const counts = { ...rate, lower: null, icc: null };
    if (upper === null || delta === undefined || effectiveN === undefined) {
      return { ...counts, method: "none", upper: null, design_effect: null, effective_n: null };
    }
    return {
      ...counts,
      method: "claim",
      sides: 1,
      confidence: 1 - delta,
      upper,
      design_effect: rate.n / effectiveN,
      effective_n: effectiveN,
    };
  }

  /** Counts of the clusters with at least one trial, in the order of the cluster names. */
  counts({ of, event, rows }: RateQuestion): readonly ClusterCount[] {
    return this.weighted(
      (row) => (of(row) ? 1 : 0),
      (row) => (event(row) ? 1 : 0),
      rows,
    );
  }

  /** As `counts`, but a row can have several trials and events. An event without a trial does not count. */
  weighted(trialsOf: (row: number) => number, eventsOf: (row: number) => number, rows?: Uint32Array) {
    const { cluster, requests } = this.#columns;
    const touched: number[] = [];
    for (let i = 0; i < (rows?.length ?? requests); i += 1) {
      const row = rows === undefined ? i : rows[i];
      const trials = trialsOf(row);
      if (trials === 0) continue;
      const index = cluster[row];
      if (this.#trials[index] === 0) touched.push(index);
      this.#trials[index] += trials;
      this.#events[index] += eventsOf(row);
    }
    return touched.sort((a, b) => a - b).map((index) => this.#take(index));
  }

  #take(index: number): ClusterCount {
    const count = { trials: this.#trials[index], events: this.#events[index] };
    this.#trials[index] = 0;
    this.#events[index] = 0;
    return count;
  }
}
