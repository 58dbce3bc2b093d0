import type { Measured } from "../../src/documents/evaluation.js";
import { measured, undefinedBecause } from "./measured.js";
import type { ScoreTable } from "./score-table.js";

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
 * Area under the precision-recall curve as average precision: the mean precision over the positives, equal scores
 * together, without interpolation (the trapezoid is optimistic). Its value for random scores is the prevalence.
 * @param positive  "event": the positives are the rows with the event, expected at high scores; "other": the rows
 *   without it, expected at low scores
 */
export function averagePrecision(table: ScoreTable, positive: "event" | "other"): Measured {
  if (oneSided(table)) return undefinedBecause("ONE_SIDE_EMPTY", table.totalRows);
  const blocks = table.scores.length;
  const all = positive === "event" ? table.totalEvents : negativesOf(table);
  let total = 0;
  let found = 0;
  let looked = 0;
  for (let step = 0; step < blocks; step += 1) {
    const block = positive === "event" ? step : blocks - 1 - step;
    const rows = table.rows[block];
    const events = table.events[block];
    const hits = positive === "event" ? events : rows - events;
    looked += rows;
    found += hits;
    if (hits > 0) total += (hits / all) * (found / looked);
  }
  return measured(total, table.totalRows);
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
