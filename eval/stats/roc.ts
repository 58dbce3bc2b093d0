import type { Measured } from "../../src/documents/evaluation.js";
import { measured, undefinedBecause } from "./measured.js";
import { SluiceError } from "../../src/base/error.js";

/** Tolerance for floating-point error in a share of a count that should be an integer. */
const positionSlack = 1e-9;

const negativesOf = (table: ScoreTable): number => table.totalRows - table.totalEvents;
const oneSided = (table: ScoreTable): boolean => table.totalEvents === 0 || negativesOf(table) === 0;

/**
 * Area under the ROC curve: the chance that a random positive (a row with the event) scores above a random negative,
 * ties counting one half (Mann-Whitney). Undefined if either class is empty. Pass logits rather than rounded
 * probabilities, which tie.
 */
export function auroc(table: ScoreTable): Measured {
  if (oneSided(table)) return undefinedBecause("ONE_SIDE_EMPTY", table.totalRows);
  let wins = 0;
  let positivesAbove = 0;
  for (let block = 0; block < table.scores.length; block += 1) {
    const positives = table.events[block];
    const negatives = table.rows[block] - positives;
    wins += negatives * (positivesAbove + positives / 2);
    positivesAbove += positives;
  }
  return measured(wins / (table.totalEvents * negativesOf(table)), table.totalRows);
}

/**
 * Share of negatives accepted by the highest threshold that accepts at least `share` of the positives; equal scores are
 * accepted together. With in-scope rows as positives and a share of .95 this is FPR@95.
 */
export function falsePositiveRateAt(table: ScoreTable, share: number): Measured {
  const threshold = acceptingThreshold(table, share);
  if (oneSided(table) || threshold === null) return undefinedBecause("ONE_SIDE_EMPTY", table.totalRows);
  let accepted = 0;
  for (let block = 0; block < table.scores.length && table.scores[block] >= threshold; block += 1) {
    accepted += table.rows[block] - table.events[block];
  }
  return measured(accepted / negativesOf(table), table.totalRows);
}

/** The highest score that accepts at least `share` of the positives; null without positives. */
export function acceptingThreshold(table: ScoreTable, share: number): number | null {
  const needed = Math.max(1, Math.ceil(share * table.totalEvents - positionSlack));
  let positives = 0;
  for (let block = 0; block < table.scores.length; block += 1) {
    positives += table.events[block];
    if (positives >= needed) return table.scores[block];
  }
  return null;
}

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
 * @throws {SluiceError} ARGUMENT_INVALID  a score is not a finite number
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
  return new SluiceError("ARGUMENT_INVALID", `found score ${score} in row ${row}, expected a finite number`);
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
