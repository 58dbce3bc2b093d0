import type { Measured } from "../../src/domain/evaluation.js";
import { measured, undefinedBecause } from "./measured.js";
import type { ScoreTable } from "./score-table.js";

/**
 * Spiegelhalter's Z of calibration: about standard normal when the stated probabilities are right and rows independent.
 * Undefined without rows, and where nothing can vary (every probability 0, 1/2 or 1).
 */
export function spiegelhalterZ(table: ScoreTable): Measured {
  const n = table.totalRows;
  if (n === 0) return undefinedBecause("EMPTY_DENOMINATOR", n);
  let distance = 0;
  let variance = 0;
  for (let block = table.scores.length - 1; block >= 0; block -= 1) {
    const p = table.scores[block];
    const rows = table.rows[block];
    distance += (table.events[block] - rows * p) * (1 - 2 * p);
    variance += rows * p * (1 - p) * (1 - 2 * p) ** 2;
  }
  return variance === 0 ? undefinedBecause("ZERO_VARIANCE", n) : measured(distance / Math.sqrt(variance), n);
}
