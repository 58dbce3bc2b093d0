import type { Sha256 } from "../src/base/sha256.js";
import type { Fold } from "../src/documents/choices.js";
import type { FitOptions } from "../src/documents/calibration.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";

/** With fewer labelled out-of-scope requests than this, the whole background is used in their place. */
const fewOutOfScope = 100;

/** Background rows of a fit with many labelled out-of-scope requests. */
const rowsWithMany = 100;

/** Background rows of a fit with few. */
const mostBackground = 300;

/** Generic requests that were scored over the catalog, and the records that name them. */
export interface Background {
  /** Digest of the requests, and of the table of their scores. */
  readonly requestsSha256: Sha256;
  readonly recordsSha256: Sha256;
  /** None of them has a workflow; in the order of the requests. */
  readonly records: readonly ScoredRecord[];
}

/** What decides how many background rows a fit uses. */
interface BackgroundChoice {
  readonly background?: Background;
  readonly out_of_scope_share?: number | null;
}

/** What decides whether a fit has labelled requests out of scope to learn from. */
interface LearnedFrom {
  readonly records: readonly ScoredRecord[];
  readonly out_of_scope_share?: number | null;
  readonly cross_fit?: number;
}

/**
 * Whether out-of-scope requests are declared and the calibrator learns from none: there a background helps on every
 * set that was measured, and it is the default (ADR 0029).
 */
export function lacksOutOfScope({ records, out_of_scope_share, cross_fit }: LearnedFrom): boolean {
  const folds: readonly Fold[] = cross_fit === 1 ? ["tune"] : ["tune", "certify"];
  const labelled = records.some(
    ({ workflow_id: workflowId, error_code: errorCode, fold }) =>
      workflowId === null && errorCode === null && folds.includes(fold),
  );
  return (out_of_scope_share ?? 0) > 0 && !labelled;
}

/** The options of a fit, and the background rows that it used. */
export function withBackground(options: FitOptions, background: Background | undefined, rows: number): FitOptions {
  if (background === undefined || rows === 0) return options;
  const { requestsSha256, recordsSha256 } = background;
  return { ...options, background: { requests_sha256: requestsSha256, records_sha256: recordsSha256, rows } };
}

/**
 * The background rows of a fit on these records: the first 300, or 100 where there are 100 labelled out-of-scope requests.
 * None without a declared share, because their weight follows from it.
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
