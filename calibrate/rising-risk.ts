import type { Calibration } from "../src/domain/calibration.js";
import { groupBy } from "../src/stats/group-by.js";
import { type SeededRandom, seededRandom } from "../src/stats/seeded-random.js";
import type { RoutableRow } from "./routable.js";

type Row = Pick<RoutableRow, "confidence" | "error" | "cluster">;

/** The statistic shows a rise above the 95 % quantile of a standard normal variable. */
export const risingAbove = 1.645;

const bins = 10;
const simulations = 200;
/** More requests would cost time and show nothing new. */
const mostRows = 20_000;
/** What the power is stated for: log odds of all scores of a workflow rise by this for each unit of its risk factor. */
const assumedRise = 0.8;

/** Share of errors at each row's score, whatever its workflow: a mean over the tenth of the rows with scores like it. */
function errorByScore(rows: readonly Row[]): Float64Array {
  const order = rows.map((_, i) => i).sort((a, b) => (rows[a]?.confidence ?? 0) - (rows[b]?.confidence ?? 0));
  const expected = new Float64Array(rows.length);
  for (let bin = 0; bin < bins; bin += 1) {
    const inside = order.slice(Math.floor((bin * rows.length) / bins), Math.floor(((bin + 1) * rows.length) / bins));
    const share = inside.filter((i) => rows[i]?.error === true).length / Math.max(1, inside.length);
    for (const i of inside) expected[i] = share;
  }
  return expected;
}

/**
 * Association, over workflows, of the mean score with the errors beyond those that the scores explain. Without one it is
 * about standard normal; it is positive where workflows with higher scores are wrong more often than their scores say.
 */
function statisticOf(rows: readonly Row[]): number {
  const expected = errorByScore(rows);
  const mean = rows.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, rows.length);
  const clusters = groupBy(
    rows.map((row, i) => ({ ...row, excess: (row.error ? 1 : 0) - (expected[i] ?? 0) })),
    ({ cluster }) => cluster,
  );
  const products = [...clusters.values()].map((own) => {
    const excess = own.reduce((sum, row) => sum + row.excess, 0);
    const lead = own.reduce((sum, row) => sum + row.confidence, 0) / own.length - mean;
    return excess * lead;
  });
  const spread = Math.sqrt(products.reduce((sum, product) => sum + product ** 2, 0));
  return spread === 0 ? 0 : products.reduce((sum, product) => sum + product, 0) / spread;
}

const raised = (score: number, shift: number): number => {
  const bounded = Math.min(1 - 1e-6, Math.max(1e-6, score));
  return 1 / (1 + ((1 - bounded) / bounded) * Math.exp(-shift));
};

/** The same scores and error shares in a world whose risk rises with the scores: the one in docs/calibration.md. */
function withRise(rows: readonly Row[], expected: Float64Array, random: SeededRandom): readonly Row[] {
  const factors = new Map<string, number>();
  return rows.map(({ cluster, confidence }, i) => {
    const factor = factors.get(cluster) ?? -Math.log(1 - random.uniform());
    factors.set(cluster, factor);
    const error = random.uniform() < Math.min(1, factor * (expected[i] ?? 0));
    return { cluster, confidence: raised(confidence, assumedRise * (factor - 1)), error };
  });
}

/**
 * Whether the tested requests show workflows whose risk rises with their scores, and how often they would if it did.
 * null with fewer than two workflows.
 */
export function risingRisk(tested: readonly RoutableRow[]): Calibration["risingRisk"] {
  const inScope = tested.filter((row) => !row.outOfScope);
  const step = Math.ceil(inScope.length / mostRows);
  const rows = step <= 1 ? inScope : inScope.filter((_, i) => i % step === 0);
  if (new Set(rows.map(({ cluster }) => cluster)).size < 2) return null;
  const random = seededRandom(0);
  const expected = errorByScore(rows);
  const shown = Array.from({ length: simulations }, () => statisticOf(withRise(rows, expected, random)));
  const power = shown.filter((statistic) => statistic > risingAbove).length / simulations;
  return { statistic: statisticOf(rows), power };
}
