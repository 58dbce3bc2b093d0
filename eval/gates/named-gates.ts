/** Gates that are a word. */
export const namedGates = {
  certified: "every claim of the calibration is certified",
  no_regression: "no measure is shown to be worse than that of the baseline",
} as const;
