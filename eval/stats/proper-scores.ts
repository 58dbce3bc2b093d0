import type { Measured } from "../../src/documents/evaluation.js";
import { measured, undefinedBecause } from "./measured.js";
import type { ScoreTable } from "./roc.js";

/** Sum of squared differences between a probability and `rows` outcomes, of which `events` were right. */
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

/**
 * Minimum distance of a clipped probability from 0 and 1, so that one certain but wrong answer does not make the loss
 * infinite.
 */
export const probabilityClip = 1e-15;

/** Sum of -ln of the probability of the outcome over `rows` answers, of which `events` were right. */
const loss = (probability: number, rows: number, events: number): number =>
  -events * Math.log(probability) - (rows - events) * Math.log1p(-probability);

/** Mean negative log-likelihood (natural log) of the stated probabilities, clipped at 1e-15. Undefined without rows. */
export function logLoss(table: ScoreTable): Measured {
  const n = table.totalRows;
  if (n === 0) return undefinedBecause("EMPTY_DENOMINATOR", 0);
  let sum = 0;
  for (let block = table.scores.length - 1; block >= 0; block -= 1) {
    const kept = Math.min(1 - probabilityClip, Math.max(probabilityClip, table.scores[block]));
    sum += loss(kept, table.rows[block], table.events[block]);
  }
  return measured(sum / n, n);
}
