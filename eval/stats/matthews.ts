import type { Measured } from "../../src/documents/evaluation.js";
import { measured, undefinedBecause } from "./measured.js";

/**
 * Multi-class Matthews correlation of predicted with true classes, in [-1, 1] (Gorodkin 2004). Undefined if all rows
 * have the same true class or the same predicted class.
 */
export function matthewsCorrelation(
  pairs: readonly { readonly truth: string; readonly predicted: string }[],
): Measured {
  const n = pairs.length;
  if (n === 0) return undefinedBecause("EMPTY_DENOMINATOR", 0);
  const truths = countOf(pairs.map(({ truth }) => truth));
  const predictions = countOf(pairs.map(({ predicted }) => predicted));
  const correct = pairs.filter(({ truth, predicted }) => truth === predicted).length;
  const squares = (counts: ReadonlyMap<string, number>): number =>
    [...counts.values()].reduce((sum, count) => sum + count * count, 0);
  const both = [...truths].reduce((sum, [name, count]) => sum + count * (predictions.get(name) ?? 0), 0);
  const spread = (n * n - squares(truths)) * (n * n - squares(predictions));
  return spread === 0 ? undefinedBecause("ZERO_VARIANCE", n) : measured((correct * n - both) / Math.sqrt(spread), n);
}

function countOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
