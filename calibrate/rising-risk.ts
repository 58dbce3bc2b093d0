import type { Calibration } from "../src/documents/calibration.js";
import { type SeededRandom, seededRandom } from "../src/base/numbers/seeded-random.js";
import { thinned } from "./calibrators/calibration-row.js";
import type { RoutableRow } from "./routable.js";

/** In-scope requests, as columns. */
interface Columns {
  readonly confidence: Float64Array;
  readonly error: Uint8Array;
  /** Index of the workflow. */
  readonly cluster: Int32Array;
  readonly clusters: number;
}

/** Critical value of the statistic: the 95% quantile of the standard normal distribution. */
const risingAbove = 1.645;

/** Whether the tested requests show a rising risk; false if it could not be tested. */
export const riskRises = (rising: Calibration["rising_risk"]): boolean =>
  rising !== null && rising.statistic > risingAbove;

const bins = 10;
/** Maximum number of examined requests; more cost time without changing the result. */
const mostRows = 20_000;
/**
 * Effect size for the stated power: increase in the log odds of all scores of a workflow per unit of its risk factor.
 */
const assumedRise = 0.8;

/** Decile of each row by confidence. Of equal confidences, earlier rows are placed in the lower decile. */
function tenths(confidence: Float64Array): Uint8Array {
  const rows = confidence.length;
  const sorted = confidence.slice().sort();
  /**
   * For each decile: its start position, its lowest confidence, and how many rows of that confidence are in lower
   * deciles.
   */
  const starts = Array.from({ length: bins }, (_, bin) => Math.floor((bin * rows) / bins));
  const lowest = starts.map((start) => sorted[start] ?? Number.POSITIVE_INFINITY);
  const left = starts.map((start, bin) => start - sorted.indexOf(lowest[bin]));
  const tenth = new Uint8Array(rows);
  for (let i = 0; i < rows; i += 1) {
    const value = confidence[i];
    let bin = bins - 1;
    while (bin > 0 && value < lowest[bin]) bin -= 1;
    while (bin > 0 && value === lowest[bin] && left[bin] > 0) {
      left[bin] -= 1;
      bin -= 1;
    }
    tenth[i] = bin;
  }
  return tenth;
}

/** Expected error at each row's score, regardless of its workflow: the mean error of the row's decile. */
function errorByScore({ confidence, error }: Columns): Float64Array {
  const bin = tenths(confidence);
  const [rows, errors] = [new Float64Array(bins), new Float64Array(bins)];
  for (let i = 0; i < bin.length; i += 1) {
    rows[bin[i]] += 1;
    errors[bin[i]] += error[i];
  }
  const shares = errors.map((wrong, one) => wrong / Math.max(1, rows[one]));
  const expected = new Float64Array(bin.length);
  for (let i = 0; i < bin.length; i += 1) expected[i] = shares[bin[i]];
  return expected;
}

/**
 * Association, over workflows, between the mean score and the errors in excess of what the scores predict.
 * Approximately standard normal without an association; positive if workflows with higher scores are wrong more often
 * than their scores suggest.
 */
function statisticOf(columns: Columns): number {
  const { confidence, error, cluster, clusters } = columns;
  const expected = errorByScore(columns);
  const [requests, scores, excess] = [0, 1, 2].map(() => new Float64Array(clusters)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  let all = 0;
  for (let i = 0; i < confidence.length; i += 1) {
    const own = cluster[i];
    requests[own] += 1;
    scores[own] += confidence[i];
    excess[own] += error[i] - expected[i];
    all += confidence[i];
  }
  const mean = all / Math.max(1, confidence.length);
  const products = requests.map((n, own) => excess[own] * (scores[own] / n - mean));
  const spread = Math.sqrt(products.reduce((sum, product) => sum + product ** 2, 0));
  return spread === 0 ? 0 : products.reduce((sum, product) => sum + product, 0) / spread;
}

const raised = (score: number, shift: number): number => {
  const bounded = Math.min(1 - 1e-6, Math.max(1e-6, score));
  return 1 / (1 + ((1 - bounded) / bounded) * Math.exp(-shift));
};

/**
 * Simulates the same scores and error shares with a risk that rises with the scores, as in
 * docs/concepts/calibration.md.
 */
function withRise(columns: Columns, expected: Float64Array, random: SeededRandom): Columns {
  const { cluster, clusters } = columns;
  const factors = new Float64Array(clusters).fill(Number.NaN);
  const confidence = columns.confidence.slice();
  const error = columns.error.slice();
  for (let i = 0; i < confidence.length; i += 1) {
    const own = cluster[i];
    if (Number.isNaN(factors[own])) factors[own] = -Math.log(1 - random.uniform());
    const factor = factors[own];
    error[i] = random.uniform() < Math.min(1, factor * expected[i]) ? 1 : 0;
    confidence[i] = raised(confidence[i], assumedRise * (factor - 1));
  }
  return { confidence, error, cluster, clusters };
}

function columnsOf(rows: readonly RoutableRow[]): Columns {
  const numbers = new Map<string, number>();
  for (const { cluster } of rows) if (!numbers.has(cluster)) numbers.set(cluster, numbers.size);
  return {
    confidence: Float64Array.from(rows, ({ confidence }) => confidence),
    error: Uint8Array.from(rows, ({ error }) => (error ? 1 : 0)),
    cluster: Int32Array.from(rows, ({ cluster }) => numbers.get(cluster) ?? 0),
    clusters: numbers.size,
  };
}

/** The in-scope requests to examine; null with fewer than two workflows. */
function lookedAt(tested: readonly RoutableRow[]): Columns | null {
  const columns = columnsOf(
    thinned(
      tested.filter((row) => !row.outOfScope),
      mostRows,
    ),
  );
  return columns.clusters < 2 ? null : columns;
}

/**
 * Tests whether the risk of workflows rises with their scores, and estimates the power of the test. null with fewer
 * than two workflows.
 * @param simulations  number of simulations for the stated power, >= 1
 */
export function risingRisk(tested: readonly RoutableRow[], simulations = 200): Calibration["rising_risk"] {
  const columns = lookedAt(tested);
  if (columns === null) return null;
  const random = seededRandom(0);
  const expected = errorByScore(columns);
  const shown = Array.from({ length: simulations }, () => statisticOf(withRise(columns, expected, random)));
  const power = shown.filter((statistic) => statistic > risingAbove).length / simulations;
  return { statistic: statisticOf(columns), power };
}
