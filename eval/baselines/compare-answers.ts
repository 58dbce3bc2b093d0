import {
  type AnswerComparison,
  answerMeasures,
  type BaselineComparison,
  type AnswerMeasure,
} from "../../src/documents/baseline.js";
import type { Band } from "../../src/documents/evaluation.js";
import { SluiceError } from "../../src/base/error.js";
import { percentileInterval, resampleClusters } from "../stats/cluster-bootstrap.js";
import { measured, undefinedBecause } from "../stats/measured.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { signFlipTest } from "../stats/paired-tests.js";
import { pairedVerdict } from "../compare-measures.js";
import type { RankedAnswer } from "./ranked-answer.js";
import { atRisk } from "../stats/risk-coverage.js";
import { auroc, type ScoreTable } from "../stats/roc.js";
import { ScoreResampler } from "../stats/score-resampler.js";

const confidence = 0.95;

export interface CompareAnswersOptions {
  /** Name of side B. */
  readonly baseline: string;
  readonly resamples?: number;
  readonly seed?: number;
}

/**
 * Compares two systems on the same requests by measures that need no threshold. Bands and tests resample whole
 * clusters, with the same resamples for both sides. Each coverage is the largest that any threshold reaches on these
 * very requests: an upper bound for both sides, not a prediction.
 * @throws {SluiceError} DOCUMENT_INVALID  the sides answer different requests
 */
export function compareAnswers(
  a: readonly RankedAnswer[],
  b: readonly RankedAnswer[],
  { baseline, resamples = 2000, seed = 1 }: CompareAnswersOptions,
): BaselineComparison {
  const clusters = clustersOf(a);
  const sides = [new AnswerStatistics(a, clusters), new AnswerStatistics(inOrderOf(a, b), clusters)] as const;
  const width = answerMeasures.length;
  const once = new Float64Array(clusters.names.length).fill(1);
  const exact = sides.map((side) => side.exact(once));
  const columns = resampleClusters(
    { clusters: clusters.names.length, resamples, random: seededRandom(seed) },
    3 * width,
    (draws, values) => {
      const [ofA, ofB] = [sides[0].resampled(draws), sides[1].resampled(draws)];
      for (let i = 0; i < width; i += 1) {
        const [x, y] = [ofA[i], ofB[i]];
        values.set([x, y, x - y], 3 * i);
      }
    },
  );
  const side = (value: number, column: number) => {
    if (Number.isNaN(value)) return { measured: undefinedBecause("EMPTY_DENOMINATOR", a.length), band: null };
    const band = clusters.names.length < 2 ? null : bandOf(columns[column] ?? new Float64Array());
    return { measured: measured(value, a.length), band };
  };
  return {
    baseline,
    requests: a.length,
    in_scope: a.filter(({ scope }) => scope === "in_scope").length,
    clusters: clusters.names.length,
    measures: answerMeasures.map((name, i): AnswerComparison => {
      const [x, y] = [exact[0]?.[i] ?? Number.NaN, exact[1]?.[i] ?? Number.NaN];
      const difference = side(x - y, 3 * i + 2);
      const hits = sides.map((each) => each.hits(name));
      const pValue = pValueOf(hits[0] ?? null, hits[1] ?? null, seed);
      return {
        name,
        a: side(x, 3 * i),
        b: side(y, 3 * i + 1),
        difference,
        p_value: pValue,
        verdict: pairedVerdict({ band: difference.band, pValue, clusters: clusters.names.length, higher: "a" }),
      };
    }),
  };
}

function clustersOf(answers: readonly RankedAnswer[]): AnswerClusters {
  const names = [...new Set(answers.map(({ cluster }) => cluster))].sort();
  const positions = new Map(names.map((name, position) => [name, position]));
  return { names, of: Int32Array.from(answers, ({ cluster }) => positions.get(cluster) ?? 0) };
}

function inOrderOf(a: readonly RankedAnswer[], b: readonly RankedAnswer[]): readonly RankedAnswer[] {
  const byId = new Map(b.map((answer) => [answer.id, answer]));
  const same = a.flatMap(({ id }) => byId.get(id) ?? []);
  if (a.length > 0 && a.length === b.length && same.length === a.length) return same;
  throw new SluiceError(
    "DOCUMENT_INVALID",
    `found ${a.length} and ${b.length} answers, ${same.length} of them to the same requests, expected equal requests`,
    { hint: "Compare answers to the same dataset and fold." },
  );
}

function bandOf(values: Float64Array): Band | null {
  const interval = percentileInterval(values, confidence);
  if (interval === null) return null;
  const { lower, upper, used, dropped } = interval;
  return { method: "cluster-bootstrap", confidence, lower, upper, resamples: used, dropped };
}

function pValueOf(a: Float64Array | null, b: Float64Array | null, seed: number): number | null {
  if (a === null || b === null) return null;
  return signFlipTest(
    Array.from(a, (hits, cluster) => hits - b[cluster]),
    seededRandom(seed),
  ).p_value;
}

/** The distinct cluster names of a list of answers, and each answer's index into them. */
interface AnswerClusters {
  readonly names: readonly string[];
  readonly of: Int32Array;
}

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
class AnswerStatistics {
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
