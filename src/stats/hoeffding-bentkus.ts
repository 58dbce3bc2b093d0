import { binomialCdf } from "./distributions.js";

/** Kullback-Leibler divergence of two Bernoulli distributions, in nats. */
function divergence(a: number, b: number): number {
  const first = a === 0 ? 0 : a * Math.log(a / b);
  const second = a === 1 ? 0 : (1 - a) * Math.log((1 - a) / (1 - b));
  return first + second;
}

/**
 * p-value of "the mean of independent values in [0, 1] is above `alpha`" by the inequalities of Hoeffding and Bentkus
 * (Bates et al., arXiv 2101.02703). For counts the exact binomial test is at least as strong.
 *
 * @param mean  of the n values, in [0, 1]
 * @returns  1 without values
 */
export function hoeffdingBentkus(mean: number, n: number, alpha: number): number {
  if (n === 0) return 1;
  const hoeffding = Math.exp(-n * divergence(Math.min(mean, alpha), alpha));
  const bentkus = Math.E * binomialCdf(Math.ceil(n * mean - 1e-9), n, alpha);
  return Math.min(1, hoeffding, bentkus);
}
