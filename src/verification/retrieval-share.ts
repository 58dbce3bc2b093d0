import { largest } from "./lead.js";

/** Sharpness of the softmax over retrieval scores; scores are near 0 to 1. */
const shareSharpness = 10;

/**
 * Writes the softmax over the whole catalog's scores.
 * @param share  shape (workflows)
 * @returns the best score, and the entropy of the softmax in nats
 */
export function writeRetrievalShare(
  scores: Float64Array,
  share: Float64Array,
): { readonly bestScore: number; readonly entropy: number } {
  const bestScore = largest(scores, Number.NEGATIVE_INFINITY);
  let total = 0;
  for (let i = 0; i < share.length; i += 1) {
    const weight = Math.exp(shareSharpness * (scores[i] - bestScore));
    share[i] = weight;
    total += weight;
  }
  let entropy = 0;
  for (let i = 0; i < share.length; i += 1) {
    const p = share[i] / total;
    share[i] = p;
    if (p > 0) entropy -= p * Math.log(p);
  }
  return { bestScore, entropy };
}
