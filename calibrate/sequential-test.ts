/**
 * An exact sequential test of the share of wrong routes. Routes are drawn at random one at a time and judged, and the
 * test may stop after each. It is a truncated binomial test: with k wrong routes it signs at the smallest number of draws
 * whose one-sided binomial p-value is at most a level; the level is the largest with which the probability of signing at
 * any draw, at a risk equal to the target, is at most delta. That probability is computed, not simulated.
 */
import { minimumSampleSize } from "./stats/binomial-test.js";
import type { RiskTest } from "./claim-reading.js";

/** The table of a test, fixed before the first draw. */
export interface SequentialTest {
  /** `stops[k]`: number of draws at which the test signs with k wrong routes, ascending. */
  readonly stops: readonly number[];
}

/** State of a test: it signs, cannot sign any more, or goes on. */
export type SequentialState = "signed" | "failed" | "open";

export interface DrawnCounts {
  readonly draws: number;
  readonly wrong: number;
}

/** Number of bisections of the level, which give it to about 1e-9. */
const bisections = 30;

/**
 * The table for at most `most` draws.
 * @param test  risk to exclude and permitted probability of signing at this risk, both in (0, 1)
 * @returns an empty table if even no wrong route in `most` draws is too little
 */
export function sequentialTest({ target, delta }: RiskTest, most: number): SequentialTest {
  let [low, high] = [0, delta];
  let found: SequentialTest = { stops: [] };
  for (let step = 0; step < bisections; step += 1) {
    const level = (low + high) / 2;
    const table = tableAt(level, target, most);
    if (signingProbability(table, target) <= delta) [low, found] = [level, table];
    else high = level;
  }
  return found;
}

function tableAt(level: number, target: number, most: number): SequentialTest {
  const stops: number[] = [];
  for (let wrong = 0; ; wrong += 1) {
    const draws = minimumSampleSize(target, level, wrong);
    if (draws > most) return { stops };
    stops.push(draws);
  }
}

/** Whether the test has ended. @param counts  counts after the last draw, no later than the end of the test */
export function sequentialState({ stops }: SequentialTest, { draws, wrong }: DrawnCounts): SequentialState {
  const needed = stops[wrong];
  if (needed === undefined) return "failed";
  return draws >= needed ? "signed" : "open";
}

/** Probability that the test signs at some draw if the risk is `risk`. */
export const signingProbability = (test: SequentialTest, risk: number): number =>
  atLeastAsGood(test, { draws: test.stops.at(-1) ?? 0, wrong: test.stops.length - 1 }, risk);

/**
 * Probability, at a risk, of an outcome at least as good as a reached one: a test that signs earlier is better, then one
 * that fails later. For a signed outcome this is the p-value of `risk`.
 */
export function atLeastAsGood(test: SequentialTest, { draws, wrong }: DrawnCounts, risk: number): number {
  const { stops } = test;
  const signs = sequentialState(test, { draws, wrong }) === "signed";
  const open = new Float64Array(stops.length);
  if (open.length > 0) open[0] = 1;
  let [signed, failed] = [0, 0];
  const last = signs ? draws : draws - 1;
  for (let draw = 1; draw <= last; draw += 1) {
    failed += (open.at(-1) ?? 0) * risk;
    for (let k = stops.length - 1; k >= 0; k -= 1) open[k] = open[k] * (1 - risk) + (k === 0 ? 0 : open[k - 1] * risk);
    for (const [k, needed] of stops.entries()) {
      if (draw < needed) continue;
      signed += open[k];
      open[k] = 0;
    }
  }
  return signs ? signed : 1 - failed;
}

/**
 * One-sided upper limit of the risk at the end of a test: the largest risk at which an outcome at least as good has a
 * probability of at least delta.
 */
export function sequentialUpperLimit(test: SequentialTest, counts: DrawnCounts, delta: number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < bisections; step += 1) {
    const risk = (low + high) / 2;
    if (atLeastAsGood(test, counts, risk) >= delta) low = risk;
    else high = risk;
  }
  return high;
}

/** Further draws until the test signs: without another wrong route, and with one more; null where it could not sign. */
export function drawsLeft({ stops }: SequentialTest, { draws, wrong }: DrawnCounts) {
  const left = (needed: number | undefined): number | null =>
    needed === undefined ? null : Math.max(1, needed - draws);
  return { clean: left(stops[wrong]), withOne: left(stops[wrong + 1]) };
}
