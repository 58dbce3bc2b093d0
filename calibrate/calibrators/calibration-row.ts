import type { CalibratorCurve } from "../../src/domain/calibrator.js";
import type { ScoredCandidate } from "../../src/domain/decision.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { matchLogit } from "../../src/policy/apply-calibration.js";
import { type RequestEvidence, requestEvidence } from "../../src/policy/request-evidence.js";

/** What a calibrator is fitted on: the first candidate of one request. */
export interface CalibrationRow {
  /** Log odds that the first candidate is the right workflow, as the verifier states them. */
  readonly logit: number;
  readonly right: boolean;
  /** Weight of the request, > 0 or 0; they sum to the number of rows. */
  readonly weight: number;
  readonly cluster: string;
  /** Features of the whole request; absent where only logits are known. */
  readonly evidence?: RequestEvidence;
}

/** A fitted curve, or why a family cannot be used on these rows. */
export type CurveFit =
  | { readonly fitted: true; readonly curve: CalibratorCurve }
  | { readonly fitted: false; readonly reason: string };

/** A fitted line in logits, or why there is none. */
export type LinearFit =
  | { readonly fitted: true; readonly slope: number; readonly intercept: number }
  | { readonly fitted: false; readonly reason: string };

/** Position of the first candidate: highest logit, then highest retrieval score, then smallest id. */
function firstOf(candidates: readonly ScoredCandidate[], logits: readonly number[]): number {
  let first = 0;
  for (let i = 1; i < candidates.length; i += 1) {
    const [a, b] = [candidates[first], candidates[i]];
    const order =
      logits[i] - logits[first] || b.retrievalScore - a.retrievalScore || (a.workflowId < b.workflowId ? -1 : 1);
    if (order > 0) first = i;
  }
  return first;
}

/** Weights that give out-of-scope rows the declared share; 1 each when none is declared or one side is empty. */
function scopeWeights(inScope: number, outOfScope: number, share: number | undefined) {
  if (share === undefined || inScope === 0 || outOfScope === 0) return { inScope: 1, outOfScope: 1 };
  const total = inScope + outOfScope;
  return { inScope: ((1 - share) * total) / inScope, outOfScope: (share * total) / outOfScope };
}

/** More requests than this do not improve a handful of parameters. */
const mostRows = 20_000;

/** Every k-th, so that at most so many remain; of records in the order of their ids, a sample of every cluster. */
export function thinned<T>(all: readonly T[], most: number): readonly T[] {
  const step = Math.ceil(all.length / most);
  return step <= 1 ? all : all.filter((_, i) => i % step === 0);
}

/**
 * The first eligible candidate of each record that was scored and has one, in the order of the records.
 * Of more than 20,000 records every k-th is taken. A candidate is right when it is the gold workflow; an out-of-scope request has no right candidate.
 *
 * @param outOfScopeShare  share of out-of-scope requests to expect in service, in [0, 1); reweights the rows
 */
export function calibrationRows(records: readonly ScoredRecord[], outOfScopeShare?: number): readonly CalibrationRow[] {
  const rows = thinned(records, mostRows).flatMap((record) => {
    const eligible = record.candidates.filter((candidate) => candidate.eligible);
    if (record.errorCode !== null || eligible.length === 0) return [];
    const logits = eligible.map((candidate) => matchLogit(candidate.logits));
    const first = firstOf(eligible, logits);
    const { workflowId, cluster } = record;
    const right = eligible[first].workflowId === workflowId;
    const evidence = requestEvidence(eligible, logits);
    return [{ logit: logits[first], right, outOfScope: workflowId === null, cluster, evidence }];
  });
  const outOfScope = rows.filter((row) => row.outOfScope).length;
  const weights = scopeWeights(rows.length - outOfScope, outOfScope, outOfScopeShare);
  return rows.map(({ logit, right, cluster, evidence, ...row }) => ({
    logit,
    right,
    cluster,
    evidence,
    weight: row.outOfScope ? weights.outOfScope : weights.inScope,
  }));
}
