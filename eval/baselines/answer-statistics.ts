import { type AnswerMeasure, answerMeasures } from "../../src/documents/baseline.js";
import { atRisk } from "../stats/risk-coverage.js";
import { auroc, type ScoreTable } from "../stats/roc.js";
import { ScoreResampler } from "../stats/score-resampler.js";
import type { RankedAnswer } from "./ranked-answer.js";

/** The distinct cluster names of a list of answers, and each answer's index into them. */
export interface AnswerClusters {
  readonly names: readonly string[];
  readonly of: Int32Array;
}

/** Score tables of one resample of clusters. */
interface Tables {
  /** All requests by score; the event is a right answer. */
  readonly answers: ScoreTable;
  /** In-scope requests and the out-of-scope requests of one kind; the event is in scope. */
  readonly near: ScoreTable;
  readonly far: ScoreTable;
}

const shareRight = { coverage_at_90: 0.9, coverage_at_95: 0.95 } as const;
const depths = { recall_at_1: 1, recall_at_5: 5, recall_at_10: 10 } as const;

/** Tolerance for floating-point error in the error share. */
const slack = 1e-12;

/** Every measure of one system, on all requests and on resamples of whole clusters. */
export class AnswerStatistics {
  readonly #inScope: Float64Array;
  readonly #hits: ReadonlyMap<AnswerMeasure, Float64Array>;
  readonly #answers: ScoreResampler;
  readonly #near: ScoreResampler;
  readonly #far: ScoreResampler;

  constructor(answers: readonly RankedAnswer[], clusters: AnswerClusters) {
    const count = (happened: (answer: RankedAnswer) => boolean): Float64Array => {
      const sums = new Float64Array(clusters.names.length);
      for (const [row, answer] of answers.entries()) {
        const cluster = clusters.of[row];
        if (happened(answer)) sums[cluster] += 1;
      }
      return sums;
    };
    const among = (most: number) => count(({ goldRank }) => goldRank !== null && goldRank <= most);
    this.#inScope = count(({ scope }) => scope === "in_scope");
    this.#hits = new Map<AnswerMeasure, Float64Array>([
      ["first_right", count(({ right }) => right)],
      ...Object.entries(depths).map(([name, most]): [AnswerMeasure, Float64Array] => [
        name as keyof typeof depths,
        among(most),
      ]),
    ]);
    const resampler = (
      counts: (answer: RankedAnswer) => boolean,
      event: (answer: RankedAnswer) => boolean,
    ): ScoreResampler => {
      const rows = [...answers.keys()].filter((row) => counts(answers[row]));
      return new ScoreResampler({
        cluster: Int32Array.from(rows, (row) => clusters.of[row]),
        scores: Float64Array.from(rows, (row) => answers[row].score),
        events: Uint8Array.from(rows, (row) => Number(event(answers[row]))),
        clusters: clusters.names.length,
      });
    };
    const inScope = ({ scope }: RankedAnswer) => scope === "in_scope";
    this.#answers = resampler(
      () => true,
      ({ right }) => right,
    );
    this.#near = resampler(({ scope }) => scope !== "far_oos", inScope);
    this.#far = resampler(({ scope }) => scope !== "near_oos", inScope);
  }

  /** Hits per cluster if the measure is a share of the in-scope requests, otherwise null. */
  hits(name: AnswerMeasure): Float64Array | null {
    return this.#hits.get(name) ?? null;
  }

  /** Values in the order of `answerMeasures`; NaN: undefined. @param once  1 for every cluster */
  exact(once: Float64Array): readonly number[] {
    return this.values(once, { answers: this.#answers.table, near: this.#near.table, far: this.#far.table });
  }

  /** As `exact`, for a resample. @param draws  how often each cluster was drawn */
  resampled(draws: Float64Array): readonly number[] {
    return this.values(draws, {
      answers: this.#answers.resample(draws),
      near: this.#near.resample(draws),
      far: this.#far.resample(draws),
    });
  }

  private values(draws: Float64Array, { answers, near, far }: Tables): readonly number[] {
    const inScope = dot(draws, this.#inScope);
    const tables = { auroc_near: near, auroc_far: far };
    return answerMeasures.map((name) => {
      if (name === "auroc_near" || name === "auroc_far") return auroc(tables[name]).value ?? Number.NaN;
      if (name === "coverage_at_90" || name === "coverage_at_95") return coverageAt(answers, shareRight[name]);
      return dot(draws, this.#hits.get(name) ?? new Float64Array()) / inScope;
    });
  }
}

/**
 * Largest share of all requests that can be answered with at least this share right. Accepting an out-of-scope request
 * counts as wrong.
 */
function coverageAt(table: ScoreTable, right: number): number {
  if (table.totalRows === 0) return Number.NaN;
  return atRisk(table, table.totalRows, 1 - right + slack)?.coverage ?? 0;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}
