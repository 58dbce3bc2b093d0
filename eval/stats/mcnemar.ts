import { binomialCdf } from "../../src/base/numbers/distributions.js";

/** p-values of McNemar's test on discordant counts. */
export interface McNemar {
  /** Two-sided exact binomial p-value. */
  readonly exact: number;
  /** The exact p-value minus the point mass of the observed count; less conservative. */
  readonly mid_p: number;
}

/**
 * McNemar's test: of the discordant pairs, `b` favour one side and `c` the other. It assumes independent pairs, which
 * requests of one workflow are not: print it with that note, and decide by the sign-flip test over workflows.
 */
export function mcNemar(b: number, c: number): McNemar {
  const fewer = Math.min(b, c);
  const atMost = binomialCdf(fewer, b + c, 0.5);
  const exact = Math.min(1, 2 * atMost);
  if (b === c) return { exact, mid_p: 1 };
  return { exact, mid_p: 2 * atMost - (atMost - binomialCdf(fewer - 1, b + c, 0.5)) };
}
