import type { Sha256 } from "../src/base/sha256.js";
import type { Fold } from "../src/documents/choices.js";
import type { FitOptions } from "../src/documents/calibration.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";

/** With fewer labelled out-of-scope requests than this, a fit uses up to `mostBackground` background rows. */
const fewOutOfScope = 100;

/** Number of background rows if there are many labelled out-of-scope requests. */
const rowsWithMany = 100;

/** Maximum number of background rows if there are few. */
const mostBackground = 300;

/** Further rows of a fit, scored against the catalog. */
export interface Background {
  /** Digest of the requests, and of the table of their scores. */
  readonly requestsSha256: Sha256;
  readonly recordsSha256: Sha256;
  /** In the order of the requests. */
  readonly records: readonly ScoredRecord[];
}

/** Labelled follow-ups scored against the catalog. */
export interface FollowUpRows extends Background {
  /** Number of this test among those of follow-ups, integer >= 1: the level of the claims falls with it. */
  readonly attempt: number;
}

/** Inputs that determine the number of background rows of a fit. */
interface BackgroundChoice {
  readonly background?: Background | undefined;
  readonly out_of_scope_share?: number | null | undefined;
}

/** Inputs that determine whether a fit has labelled out-of-scope requests to learn from. */
interface LearnedFrom {
  readonly records: readonly ScoredRecord[];
  readonly out_of_scope_share?: number | null | undefined;
  readonly cross_fit?: number | undefined;
}

/**
 * Whether a share of out-of-scope requests is declared but the calibrator has no such requests to learn from. In that
 * case a background is the default, because it helped on every measured dataset.
 */
export function lacksOutOfScope({ records, out_of_scope_share, cross_fit }: LearnedFrom): boolean {
  const folds: readonly Fold[] = cross_fit === 1 ? ["tune"] : ["tune", "certify"];
  const labelled = records.some(
    ({ workflow_id: workflowId, error_code: errorCode, fold }) =>
      workflowId === null && errorCode === null && folds.includes(fold),
  );
  return (out_of_scope_share ?? 0) > 0 && !labelled;
}

/** Adds the background and the number of used background rows to the options of a fit. */
export function withBackground(options: FitOptions, background: Background | undefined, rows: number): FitOptions {
  if (background === undefined || rows === 0) return options;
  return { ...options, background: statedRows(background, rows) };
}

/** Further rows of a fit, as its options state them. */
export const statedRows = ({ requestsSha256, recordsSha256 }: Background, rows: number) => ({
  requests_sha256: requestsSha256,
  records_sha256: recordsSha256,
  rows,
});

/**
 * The background rows of a fit on these records: the first 300, or the first 100 if there are at least 100 labelled
 * out-of-scope requests. None without a declared share, which determines their weight.
 */
export function backgroundOf(
  { background, out_of_scope_share }: BackgroundChoice,
  learned: readonly ScoredRecord[],
): readonly ScoredRecord[] {
  if (background === undefined || (out_of_scope_share ?? 0) === 0) return [];
  const labelled = learned.filter(({ workflow_id: workflowId }) => workflowId === null).length;
  return background.records
    .filter(({ error_code: errorCode }) => errorCode === null)
    .slice(0, labelled < fewOutOfScope ? mostBackground : rowsWithMany);
}
