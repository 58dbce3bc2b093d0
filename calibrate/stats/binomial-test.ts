import { betaUpperTail, binomialCdf } from "../../src/base/numbers/distributions.js";
import { SluiceError } from "../../src/base/error.js";

/**
 * p-value of "the error rate is above `alpha`" for `errors` in `trials` independent trials: P(Bin(trials, alpha) <=
 * errors). 1 without trials, which are no evidence.
 */
export function pExact(errors: number, trials: number, alpha: number): number {
  return trials === 0 ? 1 : binomialCdf(errors, trials, alpha);
}

/**
 * As `pExact`, for clustered trials worth `effectiveTrials` independent ones: P(Beta(x + 1, effectiveTrials - x) >
 * alpha) with x = errors / trials * effectiveTrials. It is at most d if and only if the Clopper-Pearson upper limit of
 * (x, effectiveTrials) at d is at most alpha. Equals `pExact` if effectiveTrials = trials.
 */
export function pEff(errors: number, trials: number, effectiveTrials: number, alpha: number): number {
  if (trials === 0) return 1;
  const x = (errors / trials) * effectiveTrials;
  return x >= effectiveTrials ? 1 : betaUpperTail(alpha, x + 1, effectiveTrials - x);
}

/** Rounds up to 12 significant digits, so that numeric differences in the last bit do not change a decision. */
export function roundUp12(p: number): number {
  const rounded = Number(p.toPrecision(12));
  return rounded < p ? Number((p * (1 + 1e-11)).toPrecision(12)) : rounded;
}

/** Whether the p-value, rounded up, is at most `d`. NaN fails. */
export function passes(p: number, d: number): boolean {
  return roundUp12(p) <= d;
}

function assertOpenUnit(value: number, name: string): void {
  if (value > 0 && value < 1) return;
  throw new SluiceError("ARGUMENT_INVALID", `found ${name} ${value}, expected a number between 0 and 1`);
}

/**
 * Smallest number of independent trials that certify a rate of at most `alpha` despite `errors` errors: smallest n with
 * P(Bin(n, alpha) <= errors) <= d.
 * @throws {SluiceError} ARGUMENT_INVALID  unless alpha and d are in (0, 1)
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
