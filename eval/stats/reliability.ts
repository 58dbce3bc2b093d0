import type { Measured, ReliabilityBin } from "../../src/documents/evaluation.js";
import { measured, undefinedBecause } from "./measured.js";
import type { ScoreTable } from "./roc.js";
import { wilson } from "./rate.js";

/** Rows of one bin of stated probabilities; the event is a right answer. */
interface Bin {
  n: number;
  correct: number;
  /** Sum of the stated probabilities. */
  stated: number;
}

const accuracyConfidence = 0.95;

/** Which end of a bin is closed: a value on an edge is in the bin below it ("right") or above it ("left"). */
export type ClosedEnd = "right" | "left";

/**
 * Index of the bin of a probability: the number of inner edges below it, or at it for left-closed bins. 0 is in the
 * first bin, 1 in the last.
 */
function binOf(probability: number, bins: number, closed: ClosedEnd): number {
  let index = 0;
  while (index < bins - 1) {
    const edge = (index + 1) * (1 / bins);
    if (edge > probability || (edge === probability && closed === "right")) break;
    index += 1;
  }
  return index;
}

function add(bin: Bin, table: ScoreTable, block: number): void {
  const rows = table.rows[block];
  bin.n += rows;
  bin.correct += table.events[block];
  bin.stated += table.scores[block] * rows;
}

/** Bins of equal width, ascending, including empty bins. */
export function equalWidthBins(table: ScoreTable, count: number, closed: ClosedEnd = "right"): readonly Bin[] {
  const bins = Array.from({ length: count }, (): Bin => ({ n: 0, correct: 0, stated: 0 }));
  for (let block = table.scores.length - 1; block >= 0; block -= 1) {
    const bin = bins[binOf(table.scores[block], count, closed)];
    if (bin !== undefined) add(bin, table, block);
  }
  return bins;
}

/** Mean absolute difference between stated and measured accuracy, weighted by bin size. Undefined without rows. */
export function binnedError(bins: readonly Bin[]): Measured {
  const n = bins.reduce((rows, bin) => rows + bin.n, 0);
  if (n === 0) return undefinedBecause("EMPTY_DENOMINATOR", 0);
  return measured(
    bins.reduce((sum, bin) => sum + (bin.n === 0 ? 0 : (bin.n / n) * (Math.abs(bin.correct - bin.stated) / bin.n)), 0),
    n,
  );
}

/**
 * Equal-width, right-closed bins of the reliability diagram, ascending, without empty bins. Each accuracy has a
 * two-sided 95% Wilson interval.
 * @param count  number of equal-width bins over [0, 1]
 */
export function reliabilityBins(table: ScoreTable, count = 10): readonly ReliabilityBin[] {
  return equalWidthBins(table, count).flatMap(({ n, correct, stated }, index) => {
    if (n === 0) return [];
    const interval = wilson(correct, n, accuracyConfidence);
    return [
      {
        lower: index * (1 / count),
        upper: (index + 1) * (1 / count),
        n,
        correct,
        mean_confidence: stated / n,
        accuracy: correct / n,
        accuracy_lower: interval.lower,
        accuracy_upper: interval.upper,
      },
    ];
  });
}

/** Expected calibration error over equal-width bins. */
export function expectedCalibrationError(table: ScoreTable, count = 10): Measured {
  return binnedError(equalWidthBins(table, count));
}
