import type { Measured } from "../domain/evaluation.js";

/**
 * Area under the ROC curve: the chance that a random positive scores above a random negative, ties counting one half
 * (Mann-Whitney). Undefined when either side is empty. Pass logits: rounded probabilities create ties.
 */
export function auroc(positives: readonly number[], negatives: readonly number[]): Measured {
  const n = positives.length + negatives.length;
  if (positives.length === 0 || negatives.length === 0) return { value: null, n, nullReason: "EMPTY_DENOMINATOR" };

  const scored = [
    ...positives.map((score) => ({ score, positive: true })),
    ...negatives.map((score) => ({ score, positive: false })),
  ].sort((a, b) => a.score - b.score);

  let wins = 0;
  let negativesBelow = 0;
  for (let start = 0; start < scored.length; ) {
    const score = scored[start]?.score;
    let end = start;
    let tiedPositives = 0;
    while (end < scored.length && scored[end]?.score === score) {
      if (scored[end]?.positive === true) tiedPositives += 1;
      end += 1;
    }
    const tiedNegatives = end - start - tiedPositives;
    wins += tiedPositives * (negativesBelow + tiedNegatives / 2);
    negativesBelow += tiedNegatives;
    start = end;
  }
  return { value: wins / (positives.length * negatives.length), n, nullReason: null };
}
