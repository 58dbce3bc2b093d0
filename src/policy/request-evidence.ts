import type { ScoredCandidate, VerifierEvidence } from "../domain/decision.js";

/** A candidate with its match logit. */
export type LogitCandidate = Pick<ScoredCandidate, "workflowId" | "eligible" | "retrievalScore"> & {
  readonly logit: number;
  readonly evidence?: VerifierEvidence | undefined;
};

/** What the eligible candidates of one request say about its first candidate, beside that candidate's own logit. */
export interface RequestEvidence {
  /** Match logit of the first candidate minus that of the second, in [0, 10]; 10 without a second. */
  readonly margin: number;
  /** Retrieval score of the first candidate, in the retriever's own scale. */
  readonly retrieval: number;
  /** Entropy of the softmax of the match logits over its largest possible value, in [0, 1]; 0 for one candidate. */
  readonly entropy: number;
  /** 1 / rank of the first candidate by retrieval score, in (0, 1]. */
  readonly agreement: number;
  /** The first candidate; absent where there is none. */
  readonly workflowId?: string;
  /** What the verifier read of the first candidate; absent where that is not known. */
  readonly verifier?: VerifierEvidence;
}

const largestMargin = 10;
/** Evidence where a calibrator looks at none. */
export const noEvidence: RequestEvidence = { margin: 0, retrieval: 0, entropy: 0, agreement: 0 };

/**
 * The evidence of one request: a pure function of its eligible candidates, whatever their order. Sentinels play no part.
 * First is the highest logit, then the highest retrieval score, then the smallest id. All 0 without a candidate.
 */
export function requestEvidence(candidates: readonly LogitCandidate[]): RequestEvidence {
  const ranked = candidates
    .filter((candidate) => candidate.eligible)
    .sort((a, b) => b.logit - a.logit || b.retrievalScore - a.retrievalScore || (a.workflowId < b.workflowId ? -1 : 1));
  const [first, second] = ranked;
  if (first === undefined) return noEvidence;
  const better = ranked.filter((candidate) => candidate.retrievalScore > first.retrievalScore).length;
  return {
    margin: second === undefined ? largestMargin : Math.min(largestMargin, first.logit - second.logit),
    retrieval: first.retrievalScore,
    entropy: relativeEntropy(ranked.map((candidate) => candidate.logit - first.logit)),
    agreement: 1 / (1 + better),
    workflowId: first.workflowId,
    ...(first.evidence === undefined ? {} : { verifier: first.evidence }),
  };
}

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
