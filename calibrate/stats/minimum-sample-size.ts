import { SluiceError } from "../../src/base/error.js";
import { passes, pExact } from "./binomial-test.js";

function assertOpenUnit(value: number, name: string): void {
  if (value > 0 && value < 1) return;
  throw new SluiceError("STATS_DOMAIN", `found ${name} ${value}, expected a number between 0 and 1`);
}

/**
 * Smallest number of independent trials that certify a rate of at most `alpha` despite `errors` errors: smallest n with
 * P(Bin(n, alpha) <= errors) <= d.
 * @throws {SluiceError} STATS_DOMAIN  unless alpha and d are in (0, 1)
 */
export function minimumSampleSize(alpha: number, d: number, errors: number): number {
  assertOpenUnit(alpha, "alpha");
  assertOpenUnit(d, "d");
  let failing = errors;
  let passing = Math.max(1, 2 * errors);
  while (!passes(pExact(errors, passing, alpha), d)) {
    failing = passing;
    passing *= 2;
  }
  while (passing - failing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if (passes(pExact(errors, middle, alpha), d)) passing = middle;
    else failing = middle;
  }
  return passing;
}
