import { clopperPearsonUpper } from "../src/base/numbers/clopper-pearson.js";
import type { Calibration } from "../src/documents/calibration.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";

/** Share of the single requests that may be taken for several wishes. */
const mayDecline = 0.01;
/** Where few requests have two clauses, a hundredth of them sets no threshold; a text below is seven to one for one wish. */
const leastThreshold = -2;

/**
 * The smallest threshold that at most 1% of the labelled requests in scope exceed, each of which is taken to be one
 * wish. The share of further such requests above it exceeds the stated limit with probability .05, because it follows
 * the beta distribution of an order statistic.
 */
export function severalWishesOf(records: readonly ScoredRecord[]): Calibration["several_wishes"] {
  if (!records.some(({ several }) => several !== undefined)) return undefined;
  const single = records.filter((record) => record.error_code === null && record.workflow_id !== null);
  const scores = single.map(({ several = Number.NEGATIVE_INFINITY }) => several).toSorted((a, b) => b - a);
  const joined = single.flatMap((record) => record.joined ?? []);
  const declined = Math.floor(mayDecline * scores.length);
  const threshold = Math.max(leastThreshold, scores[declined] ?? leastThreshold);
  return {
    threshold,
    single_requests: single.length,
    declined: scores.filter((score) => score > threshold).length,
    upper_limit: clopperPearsonUpper(declined, single.length, 0.05),
    joined: joined.length,
    found: joined.filter((score) => score > threshold).length,
  };
}
