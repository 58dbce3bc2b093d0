import type { BinnedBrier, CorpBrier, Measured } from "../../src/domain/evaluation.js";
import { isotonicFit } from "./isotonic.js";
import { measured, undefinedBecause } from "./measured.js";
import { equalWidthBins } from "./reliability.js";
import type { ScoreTable } from "./score-table.js";

/** Sum of squared distances of the answers to a probability: of `rows` answers `events` were right. */
const squares = (probability: number, rows: number, events: number): number =>
  events * (1 - probability) ** 2 + (rows - events) * probability ** 2;

/** Brier score: mean squared difference between the stated probability and the outcome. */
export function brierScore(table: ScoreTable): Measured {
  const n = table.totalRows;
  if (n === 0) return undefinedBecause("EMPTY_DENOMINATOR", n);
  return measured(meanSquares(table, table.scores), n);
}

function meanSquares(table: ScoreTable, probabilities: Float64Array): number {
  let total = 0;
  for (let block = table.scores.length - 1; block >= 0; block -= 1) {
    total += squares(probabilities[block], table.rows[block], table.events[block]);
  }
  return total / table.totalRows;
}

/** Brier = reliability - resolution + uncertainty + within-bin variance - within-bin covariance. null without rows. */
export function binnedBrier(table: ScoreTable, count = 10): BinnedBrier | null {
  const n = table.totalRows;
  if (n === 0) return null;
  const base = table.totalEvents / n;
  const bins = equalWidthBins(table, count).filter((bin) => bin.n > 0);
  const over = (term: (bin: (typeof bins)[number]) => number): number =>
    bins.reduce((sum, bin) => sum + term(bin), 0) / n;
  const reliability = over((bin) => (bin.stated - bin.correct) ** 2 / bin.n);
  const resolution = over((bin) => bin.n * (bin.correct / bin.n - base) ** 2);
  const uncertainty = base * (1 - base);
  const { variance, covariance } = withinBins(table, bins);
  return {
    reliability,
    resolution,
    uncertainty,
    withinBinVariance: variance,
    withinBinCovariance: covariance,
    skill: uncertainty === 0 ? null : 1 - meanSquares(table, table.scores) / uncertainty,
  };
}

/** @param bins  ascending, without empty ones: their sizes tell where each begins */
function withinBins(
  table: ScoreTable,
  bins: readonly { readonly n: number; readonly correct: number; readonly stated: number }[],
): { readonly variance: number; readonly covariance: number } {
  let variance = 0;
  let covariance = 0;
  let block = table.scores.length - 1;
  for (const bin of bins) {
    const [mean, accuracy] = [bin.stated / bin.n, bin.correct / bin.n];
    for (let left = bin.n; left > 0; block -= 1) {
      const rows = table.rows[block];
      const distance = table.scores[block] - mean;
      variance += rows * distance ** 2;
      covariance += distance * (table.events[block] - rows * accuracy);
      left -= rows;
    }
  }
  return { variance: variance / table.totalRows, covariance: (2 * covariance) / table.totalRows };
}

/** The terms of the Brier score by isotonic recalibration. null without rows. */
export function corpBrier(table: ScoreTable): CorpBrier | null {
  const n = table.totalRows;
  if (n === 0) return null;
  const base = table.totalEvents / n;
  const uncertainty = base * (1 - base);
  const recalibrated = meanSquares(table, recalibrate(table));
  return {
    miscalibration: meanSquares(table, table.scores) - recalibrated,
    discrimination: uncertainty - recalibrated,
    uncertainty,
  };
}

/** Isotonic fit of the answers on the scores, in the order of the table. */
function recalibrate(table: ScoreTable): Float64Array {
  const rows = table.rows.toReversed();
  const events = table.events.toReversed();
  const means = rows.map((count, i) => (count === 0 ? 0 : events[i] / count));
  return isotonicFit(means, rows).reverse();
}
