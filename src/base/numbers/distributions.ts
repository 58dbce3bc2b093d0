import betainc from "@stdlib/math-base-special-betainc";
import stdlibBetaQuantile from "@stdlib/stats-base-dists-beta-quantile";
import stdlibBinomialCdf from "@stdlib/stats-base-dists-binomial-cdf";
import stdlibNormalQuantile from "@stdlib/stats-base-dists-normal-quantile";
import { SluiceError } from "../error.js";

/** stdlib returns NaN outside the domain of a function; throwing instead keeps NaN out of comparisons. */
function defined(value: number, name: string, args: readonly number[]): number {
  if (!Number.isNaN(value)) return value;
  throw new SluiceError(
    "ARGUMENT_INVALID",
    `${name}(${args.join(", ")}) is undefined: an argument is outside its domain`,
    {
      hint: "Check the counts and the probability that were passed.",
    },
  );
}

/**
 * Quantile of the beta distribution: the value in [0, 1] that a sample is below with probability `p`.
 * @param p  in [0, 1]
 * @param a  first shape, > 0; need not be an integer
 * @param b  second shape, > 0; need not be an integer
 * @throws {SluiceError} ARGUMENT_INVALID
 */
export function betaQuantile(p: number, a: number, b: number): number {
  return defined(stdlibBetaQuantile(p, a, b), "betaQuantile", [p, a, b]);
}

/** P(Beta(a, b) > x): one minus the regularised incomplete beta function. @throws {SluiceError} ARGUMENT_INVALID */
export function betaUpperTail(x: number, a: number, b: number): number {
  return defined(betainc(x, a, b, true, true), "betaUpperTail", [x, a, b]);
}

/** P(Bin(n, probability) <= k); 0 for k < 0. @throws {SluiceError} ARGUMENT_INVALID */
export function binomialCdf(k: number, n: number, probability: number): number {
  return defined(stdlibBinomialCdf(k, n, probability), "binomialCdf", [k, n, probability]);
}

/** Quantile of the standard normal distribution. @throws {SluiceError} ARGUMENT_INVALID */
export function normalQuantile(p: number): number {
  return defined(stdlibNormalQuantile(p, 0, 1), "normalQuantile", [p]);
}
