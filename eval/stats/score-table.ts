import { SluiceError } from "../../src/base/error.js";

/**
 * Rows grouped by equal score, scores descending: how many rows have each score, and in how many of them the event
 * happened. Every curve and calibration measure is a function of this table, so ties stay together and the order of the
 * rows has no effect. A resample is the same table with different counts, which may be 0.
 */
export interface ScoreTable {
  readonly scores: Float64Array;
  readonly rows: Float64Array;
  readonly events: Float64Array;
  readonly totalRows: number;
  readonly totalEvents: number;
}

/** Builds a table from its columns and sums the totals. */
export function tableOf(scores: Float64Array, rows: Float64Array, events: Float64Array): ScoreTable {
  const total = (counts: Float64Array): number => counts.reduce((sum, count) => sum + count, 0);
  return { scores, rows, events, totalRows: total(rows), totalEvents: total(events) };
}

/**
 * Builds a table from scores: sorts them once and groups equal ones.
 * @param events  per row, true or 1 if the event happened; same length as `scores`
 * @throws {SluiceError} STATS_DOMAIN  a score is not a finite number
 */
export function scoreTable(scores: ArrayLike<number>, events: ArrayLike<number | boolean>): ScoreTable {
  let eventCount = 0;
  for (let i = 0; i < scores.length; i += 1) eventCount += Number(events[i]);
  const withEvent = new Float64Array(eventCount);
  const without = new Float64Array(scores.length - eventCount);
  let nextEvent = 0;
  let nextOther = 0;
  for (let i = 0; i < scores.length; i += 1) {
    const score = scores[i];
    if (!Number.isFinite(score)) throw notFinite(score, i);
    if (Number(events[i]) === 1) withEvent[nextEvent++] = score;
    else without[nextOther++] = score;
  }
  return mergeSorted(withEvent.sort(), without.sort());
}

function notFinite(score: number, row: number): SluiceError {
  return new SluiceError("STATS_DOMAIN", `found score ${score} in row ${row}, expected a finite number`);
}

/** Merges two ascending lists of scores. */
function mergeSorted(withEvent: Float64Array, without: Float64Array): ScoreTable {
  const scores = new Float64Array(withEvent.length + without.length);
  const rows = new Float64Array(scores.length);
  const events = new Float64Array(scores.length);
  let blocks = 0;
  let a = withEvent.length - 1;
  let b = without.length - 1;
  while (a >= 0 || b >= 0) {
    const score = Math.max(withEvent[a] ?? Number.NEGATIVE_INFINITY, without[b] ?? Number.NEGATIVE_INFINITY);
    const [endOfEvents, endOfOthers] = [skip(withEvent, a, score), skip(without, b, score)];
    scores[blocks] = score;
    events[blocks] = a - endOfEvents;
    rows[blocks] = a - endOfEvents + b - endOfOthers;
    [a, b] = [endOfEvents, endOfOthers];
    blocks += 1;
  }
  return {
    scores: scores.slice(0, blocks),
    rows: rows.slice(0, blocks),
    events: events.slice(0, blocks),
    totalRows: withEvent.length + without.length,
    totalEvents: withEvent.length,
  };
}

/** Index of the last value below `score`, searching down from `from`. */
function skip(ascending: Float64Array, from: number, score: number): number {
  let position = from;
  while (position >= 0 && ascending[position] === score) position -= 1;
  return position;
}
