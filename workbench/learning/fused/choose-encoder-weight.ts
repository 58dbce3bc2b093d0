import { rankOf } from "../../../src/retrieval/best-positions.js";
import { fuseScores } from "../../../src/retrieval/fused/fused-retriever.js";

/** Scores of both retrievers for one request over the same workflows, and where its right workflow stands. */
export interface ScoredTwice {
  readonly encoder: Float64Array;
  readonly wordKernels: Float64Array;
  readonly idRanks: Int32Array;
  /** Position of the right workflow. */
  readonly gold: number;
}

/** How well a weight ranks; shares in [0, 1]. */
export interface RankingQuality {
  readonly encoderWeight: number;
  /** Mean of 1 / rank of the right workflow. */
  readonly reciprocalRank: number;
  /** Share of the requests whose right workflow is first. */
  readonly first: number;
}

export interface ChosenWeight {
  readonly fused: RankingQuality;
  readonly encoder: RankingQuality;
  readonly wordKernels: RankingQuality;
}

/** Weights that are tried, as steps between the word kernels alone and the encoder alone. */
const steps = 20;
const digits = 4;

function qualityOf(requests: readonly ScoredTwice[], encoderWeight: number): RankingQuality {
  let [reciprocal, first] = [0, 0];
  for (const { encoder, wordKernels, idRanks, gold } of requests) {
    const rank = rankOf({ scores: fuseScores(encoder, wordKernels, encoderWeight), idRanks }, gold);
    reciprocal += 1 / (1 + rank);
    if (rank === 0) first += 1;
  }
  return { encoderWeight, reciprocalRank: reciprocal / requests.length, first: first / requests.length };
}

/** Mean over the requests of how far the scores of the workflows spread: a standard deviation. */
function spreadOf(requests: readonly ScoredTwice[], part: "encoder" | "wordKernels"): number {
  const spreads = requests.map(({ [part]: scores }) => {
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    return Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length);
  });
  return spreads.reduce((sum, spread) => sum + spread, 0) / spreads.length;
}

/**
 * The weight of the encoder with the best mean reciprocal rank, of 21 steps in units of each retriever's own spread, so
 * that an encoder whose cosines lie close together is tried on equal terms. Of equal weights the one in the middle of
 * them. At least one request.
 */
export function chooseEncoderWeight(requests: readonly ScoredTwice[]): ChosenWeight {
  const [dense, words] = [spreadOf(requests, "encoder"), spreadOf(requests, "wordKernels")];
  const tried = Array.from({ length: steps + 1 }, (_, step) => {
    const [encoder, rest] = [(step / steps) * words, (1 - step / steps) * dense];
    const weight = encoder + rest === 0 ? step / steps : encoder / (encoder + rest);
    return qualityOf(requests, Number(weight.toFixed(digits)));
  });
  const best = Math.max(...tried.map(({ reciprocalRank }) => reciprocalRank));
  const equal = tried.filter(({ reciprocalRank }) => reciprocalRank === best);
  const [encoder, wordKernels] = [qualityOf(requests, 1), qualityOf(requests, 0)];
  return { fused: equal[Math.floor((equal.length - 1) / 2)] ?? encoder, encoder, wordKernels };
}
