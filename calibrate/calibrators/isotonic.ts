import type { CalibrationRow, CurveFit } from "./calibration-row.js";
import { type Block, blocksByLogit, meanOf, poolAdjacent } from "./pool-adjacent.js";

/** Mean of a block; 0 and 1 are shrunk towards the middle because no finite block proves certainty. */
function shrunkValue(block: Block): number {
  const mean = meanOf(block);
  if (mean <= 0) return 1 / (block.weight + 2);
  if (mean >= 1) return (block.weight + 1) / (block.weight + 2);
  return mean;
}

/**
 * Centred isotonic regression: pools adjacent violators, shrinks values of 0 and 1, pools again, and interpolates
 * linearly between the centres of the blocks, so that different logits between the outer centres have different
 * confidences. Not fitted if fewer than two blocks remain, because correctness then does not rise with the logit.
 */
export function fitIsotonic(rows: readonly CalibrationRow[]): CurveFit {
  const blocks = poolAdjacent(poolAdjacent(blocksByLogit(rows)), shrunkValue);
  if (blocks.length < 2) return { fitted: false, reason: "the scores do not increase with correctness" };
  return {
    fitted: true,
    curve: {
      family: "isotonic",
      logits: blocks.map((block) => block.moment / block.weight),
      confidences: blocks.map(shrunkValue),
    },
  };
}
