import type { CalibrationRow, CurveFit } from "./calibration-row.js";

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

/** A block of rows with neighbouring logits that share one value. */
interface Block {
  /** Sum of the weights of the right rows. */
  readonly right: number;
  readonly weight: number;
  /** Weighted sum of the logits. */
  readonly moment: number;
  readonly lowest: number;
  readonly highest: number;
}

export const meanOf = (block: Pick<Block, "right" | "weight">): number => block.right / block.weight;

function joined(below: Block, above: Block): Block {
  return {
    right: below.right + above.right,
    weight: below.weight + above.weight,
    moment: below.moment + above.moment,
    lowest: below.lowest,
    highest: above.highest,
  };
}

/** One block per distinct logit, ascending. Rows of weight 0 are left out. */
export function blocksByLogit(rows: readonly CalibrationRow[]): readonly Block[] {
  const sorted = rows.filter((row) => row.weight > 0).toSorted((a, b) => a.logit - b.logit);
  const blocks: Block[] = [];
  for (const { logit, right, weight } of sorted) {
    const own = { right: right ? weight : 0, weight, moment: weight * logit, lowest: logit, highest: logit };
    const last = blocks.at(-1);
    if (last?.highest === logit) blocks[blocks.length - 1] = joined(last, own);
    else blocks.push(own);
  }
  return blocks;
}

/**
 * Pool adjacent violators: the least-squares non-decreasing step function (Barlow et al. 1972), in one pass.
 * @param blocks  in ascending order of logits
 * @param valueOf  value of a block. Default: its mean
 */
export function poolAdjacent(blocks: readonly Block[], valueOf: (block: Block) => number = meanOf): readonly Block[] {
  const pooled: Block[] = [];
  for (const block of blocks) {
    let current = block;
    for (let last = pooled.at(-1); last !== undefined && valueOf(last) >= valueOf(current); last = pooled.at(-1)) {
      pooled.pop();
      current = joined(last, current);
    }
    pooled.push(current);
  }
  return pooled;
}
