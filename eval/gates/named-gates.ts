/** Gates that are a word. */
export const namedGates = {
  certified: "every claim of the calibration is certified",
  no_regression: "no metric is significantly worse than the baseline",
} as const;
