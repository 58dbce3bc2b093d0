/** Logistic function 1 / (1 + exp(-t)), stable for large |t|. */
export function logistic(t: number): number {
  if (t >= 0) return 1 / (1 + Math.exp(-t));
  const e = Math.exp(t);
  return e / (1 + e);
}

/**
 * Negative log-likelihood, in nats, of an outcome under the probability logistic(t).
 * @param t  log odds
 * @param y  outcome 0 or 1, or a soft target between them
 */
export function logLoss(t: number, y: number): number {
  return Math.max(t, 0) + Math.log1p(Math.exp(-Math.abs(t))) - y * t;
}
