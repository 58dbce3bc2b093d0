import { SluiceError } from "../error.js";
import { betaQuantile } from "./distributions.js";

/** Limits of a proportion, 0 <= lower <= upper <= 1. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

function assertCounts(x: number, n: number): void {
  if (x >= 0 && n >= 0 && x <= n) return;
  throw new SluiceError("ARGUMENT_INVALID", `found ${x} events in ${n} trials, expected 0 <= events <= trials`);
}

/**
 * Exact one-sided upper limit (Clopper and Pearson 1934): it is below the true proportion with probability at most `d`.
 * @param x  events; need not be an integer (effective counts)
 * @param n  trials; need not be an integer. 0 trials give 1
 * @param d  error probability in (0, 1)
 * @throws {SluiceError} ARGUMENT_INVALID
 */
export function clopperPearsonUpper(x: number, n: number, d: number): number {
  assertCounts(x, n);
  if (x >= n) return 1;
  if (x === 0) return -Math.expm1(Math.log(d) / n);
  return betaQuantile(1 - d, x + 1, n - x);
}

/**
 * Exact one-sided lower limit: it is above the true proportion with probability at most `d`. Same parameters as
 * `clopperPearsonUpper`.
 * @throws {SluiceError} ARGUMENT_INVALID
 */
export function clopperPearsonLower(x: number, n: number, d: number): number {
  assertCounts(x, n);
  if (x === 0) return 0;
  if (x === n) return Math.exp(Math.log(d) / n);
  return betaQuantile(d, x, n - x + 1);
}

/**
 * Two-sided Clopper-Pearson interval with error probability (1 - confidence) / 2 at each end; 0 trials give [0, 1].
 * @throws {SluiceError} ARGUMENT_INVALID
 */
export function clopperPearson(x: number, n: number, confidence: number): Interval {
  const d = (1 - confidence) / 2;
  return { lower: clopperPearsonLower(x, n, d), upper: clopperPearsonUpper(x, n, d) };
}
