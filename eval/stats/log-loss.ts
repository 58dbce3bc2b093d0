import type { Measured } from "../../src/domain/evaluation.js";
import { measured, undefinedBecause } from "./measured.js";
import type { ScoreTable } from "./score-table.js";

/** Probabilities are clipped this far from 0 and 1, so that one wrong certain answer does not dominate. */
export const probabilityClip = 1e-15;

/** Negative log-likelihood of the stated probabilities. */
export interface LogLoss {
  readonly clipped: Measured;
  /** Rows whose probability was moved by the clip. */
  readonly clippedRows: number;
  /** Without the clip; undefined (INFINITE) when a certain answer was wrong. */
  readonly exact: Measured;
}

/** -ln of the probability of what happened: of `rows` answers `events` were right; 0 ln 0 = 0. */
function loss(probability: number, rows: number, events: number): number {
  const right = events === 0 ? 0 : -events * Math.log(probability);
  return rows === events ? right : right - (rows - events) * Math.log1p(-probability);
}

/** Mean negative log-likelihood (natural log), with and without a clip at 1e-15. Undefined without rows. */
export function logLoss(table: ScoreTable): LogLoss {
  const n = table.totalRows;
  if (n === 0) {
    const none = undefinedBecause("EMPTY_DENOMINATOR", 0);
    return { clipped: none, clippedRows: 0, exact: none };
  }
  let clipped = 0;
  let exact = 0;
  let clippedRows = 0;
  for (let block = table.scores.length - 1; block >= 0; block -= 1) {
    const [stated, rows, events] = [table.scores[block], table.rows[block], table.events[block]] as [
      number,
      number,
      number,
    ];
    const kept = Math.min(1 - probabilityClip, Math.max(probabilityClip, stated));
    if (kept !== stated) clippedRows += rows;
    clipped += loss(kept, rows, events);
    exact += loss(stated, rows, events);
  }
  return {
    clipped: measured(clipped / n, n),
    clippedRows,
    exact: Number.isFinite(exact) ? measured(exact / n, n) : undefinedBecause("INFINITE", n),
  };
}
