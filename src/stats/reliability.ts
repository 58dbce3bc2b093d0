import type { Measured, ReliabilityBin } from "../domain/evaluation.js";
import { wilson } from "./wilson.js";

/** A stated probability of being right, in [0, 1], and whether it was right. */
export interface StatedProbability {
  readonly confidence: number;
  readonly correct: boolean;
}

const accuracyConfidence = 0.95;

/** Sums must not depend on the order of the rows. */
function inOrder(rows: readonly StatedProbability[]): readonly StatedProbability[] {
  return rows.toSorted((a, b) => a.confidence - b.confidence || Number(a.correct) - Number(b.correct));
}

/** Right-closed bins: as many inner edges as lie strictly below the value; 0 is in the first bin, 1 in the last. */
function binOf(confidence: number, bins: number): number {
  let index = 0;
  while (index < bins - 1 && (index + 1) * (1 / bins) < confidence) index += 1;
  return index;
}

/**
 * Equal-width, right-closed bins of the reliability diagram, ascending, empty ones left out.
 * The accuracy carries its two-sided 95 % Wilson interval.
 * @param bins  number of equal-width bins over [0, 1]
 */
export function reliabilityBins(rows: readonly StatedProbability[], bins = 10): readonly ReliabilityBin[] {
  const sums = Array.from({ length: bins }, () => ({ n: 0, correct: 0, confidence: 0 }));
  for (const row of inOrder(rows)) {
    const bin = sums[binOf(row.confidence, bins)];
    if (bin === undefined) continue;
    bin.n += 1;
    bin.confidence += row.confidence;
    if (row.correct) bin.correct += 1;
  }
  return sums.flatMap(({ n, correct, confidence }, index) => {
    if (n === 0) return [];
    const interval = wilson(correct, n, accuracyConfidence);
    return [
      {
        lower: index * (1 / bins),
        upper: (index + 1) * (1 / bins),
        n,
        correct,
        meanConfidence: confidence / n,
        accuracy: correct / n,
        accuracyLower: interval.lower,
        accuracyUpper: interval.upper,
      },
    ];
  });
}

/** Expected calibration error over equal-width bins: mean absolute gap between confidence and accuracy, by bin size. */
export function expectedCalibrationError(rows: readonly StatedProbability[], bins = 10): Measured {
  const n = rows.length;
  if (n === 0) return { value: null, n, nullReason: "EMPTY_DENOMINATOR" };
  const gaps = reliabilityBins(rows, bins).map((b) => (b.n / n) * Math.abs(b.accuracy - b.meanConfidence));
  return { value: gaps.reduce((total, gap) => total + gap, 0), n, nullReason: null };
}

/** Brier score: mean squared difference between the stated probability and the outcome. */
export function brierScore(rows: readonly StatedProbability[]): Measured {
  const n = rows.length;
  if (n === 0) return { value: null, n, nullReason: "EMPTY_DENOMINATOR" };
  const squares = inOrder(rows).map((row) => (row.confidence - (row.correct ? 1 : 0)) ** 2);
  return { value: squares.reduce((total, square) => total + square, 0) / n, n, nullReason: null };
}
