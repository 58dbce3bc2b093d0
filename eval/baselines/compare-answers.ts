import { type AnswerComparison, answerMeasures, type BaselineComparison } from "../../src/documents/baseline.js";
import type { Band } from "../../src/documents/evaluation.js";
import { SluiceError } from "../../src/base/error.js";
import { percentileInterval, resampleClusters } from "../stats/cluster-bootstrap.js";
import { measured, undefinedBecause } from "../stats/measured.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { signFlipTest } from "../stats/paired-tests.js";
import { pairedVerdict } from "../compare-measures.js";
import { type AnswerClusters, AnswerStatistics } from "./answer-statistics.js";
import type { RankedAnswer } from "./ranked-answer.js";

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
 * @throws {SluiceError} DATASET_INVALID  the sides answer different requests
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
    "DATASET_INVALID",
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
