import type { Measured } from "../../src/documents/evaluation.js";
import { measured, undefinedBecause } from "./measured.js";
import type { ScoreTable } from "./score-table.js";

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
