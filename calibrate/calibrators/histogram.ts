import type { CalibrationRow, CurveFit } from "./calibration-row.js";
import { type Block, blocksByLogit, joined, poolAdjacent } from "./pool-adjacent.js";

const defaultBins = 15;

/** Share of right rows with one right and one wrong row added (Laplace); 0.5 for an empty bin. */
export function laplaceShare({ right, weight }: Pick<Block, "right" | "weight">): number {
  return (right + 1) / (weight + 2);
}

/**
 * Bins of nearly equal weight from rising blocks; a block is never split, so equal logits share a bin. Each bin gets
 * the remaining rows divided by the remaining bins, rounded half to even.
 */
export function equalMassBlocks(blocks: readonly Block[], bins: number): readonly Block[] {
  const result: Block[] = [];
  let left = blocks.reduce((sum, block) => sum + block.weight, 0);
  let open: Block | undefined;
  let wanted = 0;
  for (const block of blocks) {
    if (open === undefined) wanted = Math.max(1, roundHalfToEven(left / Math.max(1, bins - result.length)));
    open = open === undefined ? block : joined(open, block);
    if (open.weight < wanted - 1e-9) continue;
    left -= open.weight;
    result.push(open);
    open = undefined;
  }
  return open === undefined ? result : [...result, open];
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/**
 * Histogram binning: one confidence for each of up to 15 bins of equal mass, shrunk by Laplace's rule; bins whose
 * confidence would not rise are joined, so that the order of the candidates is never reversed.
 */
export function fitHistogram(rows: readonly CalibrationRow[], bins = defaultBins): CurveFit {
  const joinedBins = poolAdjacent(equalMassBlocks(blocksByLogit(rows), bins), laplaceShare);
  if (joinedBins.length < 2) return { fitted: false, reason: "the scores do not increase with correctness" };
  return {
    fitted: true,
    curve: {
      family: "histogram",
      edges: joinedBins.slice(0, -1).map((bin) => bin.highest),
      confidences: joinedBins.map(laplaceShare),
    },
  };
}
