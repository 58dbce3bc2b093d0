import type { ScoredCandidate, VerifierFeatures } from "../../documents/decision.js";

/** What the features of a request are computed from, in addition to the match logits of its candidates. */
export type CandidateFeatures = Pick<ScoredCandidate, "workflow_id" | "eligible" | "retrieval_score" | "features">;

/** Features of a request that describe its first candidate, in addition to that candidate's logit. */
export interface RequestFeatures {
  /** Match logit of the first candidate minus that of the second, in [0, 10]; 10 without a second. */
  readonly margin: number;
  /** Retrieval score of the first candidate, on the retriever's scale. */
  readonly retrieval: number;
  /** Entropy of the softmax of the match logits divided by its maximum, in [0, 1]; 0 for a single candidate. */
  readonly entropy: number;
  /** 1 / rank of the first candidate by retrieval score, in (0, 1]. */
  readonly agreement: number;
  /** The first candidate; absent if there is none. */
  readonly workflowId?: string;
  /** Features that the verifier read for the first candidate; absent if unknown. */
  readonly verifier?: VerifierFeatures;
}

const largestMargin = 10;
/** Placeholder for calibrators that use no features. */
export const noFeatures: RequestFeatures = { margin: 0, retrieval: 0, entropy: 0, agreement: 0 };

/**
 * Computes the features of one request: a pure function of its eligible candidates, independent of their order.
 * Ineligible competitors are ignored. The first candidate has the highest logit, then the highest retrieval score, then
 * the smallest id. All features are 0 without a candidate.
 *
 * @param logits  match logits of the candidates
 */
export function requestFeatures(candidates: readonly CandidateFeatures[], logits: readonly number[]): RequestFeatures {
  const ranked = rankedEligible(candidates, logits);
  const [first, second] = ranked;
  if (first === undefined) return noFeatures;
  const { workflow_id: workflowId, retrieval_score: retrievalScore, features: verifier } = first.candidate;
  const better = ranked.filter(({ candidate }) => candidate.retrieval_score > retrievalScore).length;
  const found = {
    margin: second === undefined ? largestMargin : Math.min(largestMargin, first.logit - second.logit),
    retrieval: retrievalScore,
    entropy: relativeEntropy(ranked.map(({ logit }) => logit - first.logit)),
    agreement: 1 / (1 + better),
    workflowId,
  };
  return verifier === undefined ? found : { ...found, verifier };
}

interface RankedCandidate {
  readonly candidate: CandidateFeatures;
  readonly logit: number;
}

function rankedEligible(
  candidates: readonly CandidateFeatures[],
  logits: readonly number[],
): readonly RankedCandidate[] {
  const ranked: RankedCandidate[] = [];
  for (const [i, candidate] of candidates.entries()) {
    if (candidate.eligible) ranked.push({ candidate, logit: logits[i] as number });
  }
  return ranked.sort((a, b) => b.logit - a.logit || inOrder(a.candidate, b.candidate));
}

/** Orders candidates with equal logits: higher retrieval score first, then smaller id. */
const inOrder = (a: CandidateFeatures, b: CandidateFeatures): number =>
  b.retrieval_score - a.retrieval_score || (a.workflow_id < b.workflow_id ? -1 : 1);

/** @param logits  shifted so that the largest is 0 */
function relativeEntropy(logits: readonly number[]): number {
  if (logits.length < 2) return 0;
  let total = 0;
  let weighted = 0;
  for (const logit of logits) {
    const weight = Math.exp(logit);
    total += weight;
    weighted += weight * logit;
  }
  return Math.max(0, Math.log(total) - weighted / total) / Math.log(logits.length);
}
