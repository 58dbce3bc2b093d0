import { largest } from "./lead.js";

/** Sharpness of the softmax over retrieval scores; scores are near 0 to 1. */
const shareSharpness = 10;

/** The best score, the softmax over the whole catalog's scores, and its entropy in nats. */
export interface RetrievalShare {
  readonly bestScore: number;
  /** Shape (workflows), sum 1. */
  readonly share: Float64Array;
  readonly entropy: number;
}

export function retrievalShare(scores: Float64Array): RetrievalShare {
  const bestScore = largest(scores, Number.NEGATIVE_INFINITY);
  const share = new Float64Array(scores.length);
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
  return { bestScore, share, entropy };
}
