import type { CalibratorCurve } from "../../src/documents/calibrator.js";
import type { ScoredCandidate } from "../../src/documents/decision.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { matchLogit } from "../../src/router/policy/apply-calibration.js";
import { type RequestFeatures, requestFeatures } from "../../src/router/policy/request-features.js";

/** One training row of a calibrator: the top candidate of a request. */
export interface CalibrationRow {
  /** The verifier's log odds that the top candidate is the right workflow. */
  readonly logit: number;
  readonly right: boolean;
  /** Weight of the request, >= 0; weights sum to the number of rows. */
  readonly weight: number;
  readonly cluster: string;
  /** Features of the whole request; omitted if only logits are known. */
  readonly features?: RequestFeatures;
}

/** A fitted curve, or why a family cannot be used on these rows. */
export type CurveFit =
  | { readonly fitted: true; readonly curve: CalibratorCurve }
  | { readonly fitted: false; readonly reason: string };

/** A fitted line in logits, or why there is none. */
export type LinearFit =
  | { readonly fitted: true; readonly slope: number; readonly intercept: number }
  | { readonly fitted: false; readonly reason: string };

/** Index of the top candidate: highest logit, then highest retrieval score, then smallest id. */
function firstOf(candidates: readonly ScoredCandidate[], logits: readonly number[]): number {
  let first = 0;
  for (let i = 1; i < candidates.length; i += 1) {
    const [a, b] = [candidates[first], candidates[i]];
    const order =
      logits[i] - logits[first] || b.retrieval_score - a.retrieval_score || (a.workflow_id < b.workflow_id ? -1 : 1);
    if (order > 0) first = i;
  }
  return first;
}

/** Source of a row: an in-scope request, a labelled out-of-scope request, or a background request. */
type RowKind = "inScope" | "outOfScope" | "background";

/**
 * Weights that give out-of-scope rows the declared share; all 1 if no share is declared or one side is empty.
 * Background rows together weigh at most as much as the labelled out-of-scope rows, if there are any.
 */
function scopeWeights(counts: Readonly<Record<RowKind, number>>, share: number | undefined): Record<RowKind, number> {
  const { inScope, outOfScope: labelled, background } = counts;
  const outside = labelled + background;
  if (share === undefined || inScope === 0 || outside === 0) return { inScope: 1, outOfScope: 1, background: 1 };
  const total = inScope + outside;
  const ofBackground = labelled === 0 ? 1 : Math.min(background / outside, 1 / 2);
  return {
    inScope: ((1 - share) * total) / inScope,
    outOfScope: (share * total * (1 - ofBackground)) / Math.max(labelled, 1),
    background: (share * total * ofBackground) / Math.max(background, 1),
  };
}

/** Maximum number of requests of a fit; more do not improve its few parameters. */
const mostRows = 20_000;

/** Every k-th item, so that at most `most` remain. On records sorted by id this samples every cluster. */
export function thinned<T>(all: readonly T[], most: number): readonly T[] {
  const step = Math.ceil(all.length / most);
  return step <= 1 ? all : all.filter((_, i) => i % step === 0);
}

const kindOf = ({ workflow_id: workflowId }: ScoredRecord): RowKind => (workflowId === null ? "outOfScope" : "inScope");

function rowOf(record: ScoredRecord, kind: RowKind) {
  const eligible = record.candidates.filter((candidate) => candidate.eligible);
  if (record.error_code !== null || eligible.length === 0) return [];
  const logits = eligible.map((candidate) => matchLogit(candidate.logits));
  const first = firstOf(eligible, logits);
  const { workflow_id: workflowId, cluster } = record;
  const right = eligible[first].workflow_id === workflowId;
  const features = requestFeatures(eligible, logits);
  return [{ logit: logits[first], right, kind, cluster, features }];
}

/** Options that change the weights of the labelled requests of a fit, or add background rows. */
export interface RowOptions {
  /** Expected share of out-of-scope requests in production, in [0, 1). */
  readonly outOfScopeShare?: number | undefined;
  /** Background requests, already limited in number; each becomes an out-of-scope row. */
  readonly background?: readonly ScoredRecord[] | undefined;
}

/**
 * The top eligible candidate of each scored record that has one, in record order. If there are more than 20,000
 * records, every k-th is used. A candidate is right if it is the gold workflow; an out-of-scope request has no right
 * candidate. All background requests follow. With a declared share, the out-of-scope rows together weigh share / (1 -
 * share) times the in-scope rows, and background rows make up at most half of that weight if there are labelled
 * out-of-scope rows.
 */
export function calibrationRows(
  records: readonly ScoredRecord[],
  { outOfScopeShare, background = [] }: RowOptions = {},
): readonly CalibrationRow[] {
  const labelled = thinned(records, mostRows).flatMap((record) => rowOf(record, kindOf(record)));
  const rows = [...labelled, ...background.flatMap((record) => rowOf(record, "background"))];
  const counts = { inScope: 0, outOfScope: 0, background: 0 };
  for (const { kind } of rows) counts[kind] += 1;
  const weights = scopeWeights(counts, outOfScopeShare);
  return rows.map(({ kind, ...row }) => ({ ...row, weight: weights[kind] }));
}
