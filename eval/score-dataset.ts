import { clusterOf, type LabelledRequest } from "../src/documents/dataset.js";
import type { Population } from "../src/documents/population.js";
import type { RouteRequest } from "../src/documents/request.js";
import type { RequestScorer, ScoredRequest } from "../src/documents/router.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { foldOfRow, type Kin } from "../src/documents/split.js";
import type { Fold } from "../src/documents/choices.js";
import { command, say, SluiceError, toSluiceError } from "../src/base/error.js";
import { populationsOf } from "./population-of.js";
import type { ResumeLog } from "./resume-log.js";

export interface ScoringProgress {
  readonly done: number;
  readonly total: number;
  readonly errors: number;
}

export interface ScoreOptions {
  readonly rows: readonly LabelledRequest[];
  /** Fold of every cluster; rows of other clusters cannot be scored. */
  readonly foldOf: ReadonlyMap<string, Fold>;
  /** Relatives of each row that has any, by row id. Default: no row has relatives. */
  readonly kin?: ReadonlyMap<string, Kin>;
  /** Workflows removed from the catalog: their requests are out of scope. Default: none. */
  readonly removedWorkflows?: ReadonlySet<string>;
  /** Texts with two wishes by row id, whose log odds are recorded with the row; see `joinedRequests`. Default: none. */
  readonly joins?: ReadonlyMap<string, string>;
  readonly scorer: RequestScorer;
  readonly catalogVersion: string;
  /** Ids of the whole catalog; the allow list of rows without one. */
  readonly workflowIds: readonly string[];
  /** Population of a row if it depends on more rows than are scored here. Default: derived from `rows`. */
  readonly populationOf?: (row: LabelledRequest) => Population;
  /** Maximum number of requests in flight, integer >= 1. */
  readonly concurrency: number;
  /** Called after every record. */
  readonly onProgress?: (progress: ScoringProgress) => void;
  /** Stops once the requests in flight have finished. */
  readonly signal?: AbortSignal;
  /** Contains the records of an interrupted run; new records are appended to it. */
  readonly resume?: ResumeLog;
}

/**
 * Scores every row once with the serving code; no thresholds are applied. A row whose scoring fails becomes a record
 * with an `error_code`. Such records are not stored in the resume log, so the next attempt scores them again.
 *
 * @returns  one record per row, in row order
 * @throws {SluiceError} SPLIT_INVALID  a row belongs to no fold
 * @throws {SluiceError} INTERRUPTED  the signal was aborted; finished records are in the resume log
 */
export async function scoreDataset(options: ScoreOptions): Promise<readonly ScoredRecord[]> {
  const { rows, resume, signal } = options;
  const foldOfRow = foldsOfRows(options);
  const { populationOf = populationsOf(options) } = options;
  const records: (ScoredRecord | undefined)[] = rows.map((row) => resume?.done.get(row.id));
  const open = [...rows.entries()].filter(([index]) => records[index] === undefined);
  let done = rows.length - open.length;
  let errors = 0;

  const queue = open.values();
  const scoreNext = async (): Promise<void> => {
    for (const [index, row] of queue) {
      if (signal?.aborted === true) return;
      const record = await scoreRow(options, row, { index, fold: foldOfRow(row), population: populationOf(row) });
      records[index] = record;
      if (record.error_code === null) resume?.append(record);
      else errors += 1;
      done += 1;
      options.onProgress?.({ done, total: rows.length, errors });
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.concurrency) }, scoreNext));

  const finished = records.filter((record) => record !== undefined);
  if (finished.length < rows.length) throw interrupted(finished.length, rows.length, resume !== undefined);
  return finished;
}

function foldsOfRows({ rows, foldOf }: ScoreOptions): (row: LabelledRequest) => Fold {
  const find = (row: LabelledRequest): Fold => {
    const fold = foldOfRow(row, foldOf);
    if (fold !== undefined) return fold;
    throw new SluiceError("SPLIT_INVALID", `row ${row.id}: its workflow or group is in no fold of the split`, {
      hint: say`Split this dataset again: ${command`sluice dataset split`}`,
    });
  };
  for (const row of rows) find(row);
  return find;
}

/**
 * Relatives and cluster of a row. Related out-of-scope rows tend to be wrong together, so they form one cluster even if
 * the dataset does not group them.
 */
export function kinOf(
  row: LabelledRequest,
  kin: ReadonlyMap<string, Kin> | undefined,
): Pick<ScoredRecord, "cluster" | "family" | "near_copy"> {
  const own = kin?.get(row.id);
  const cluster = clusterOf(row);
  if (own === undefined) return { cluster };
  return { cluster: cluster.startsWith("row:") ? `family:${own.family}` : cluster, ...own };
}

const narrowedBy = ({ allowed_workflow_ids: list = null }: LabelledRequest): Pick<ScoredRecord, "narrowed"> =>
  list === null ? {} : { narrowed: true };

async function scoreRow(
  options: ScoreOptions,
  row: LabelledRequest,
  { index, fold, population }: { readonly index: number; readonly fold: Fold; readonly population: Population },
): Promise<ScoredRecord> {
  const removed = row.workflow_id !== null && options.removedWorkflows?.has(row.workflow_id) === true;
  const workflowId = removed ? null : row.workflow_id;
  const base = {
    id: row.id,
    workflow_id: workflowId,
    ...kinOf(row, options.kin),
    fold,
    population,
    slices: row.slices ?? {},
    ...(row.wrong_before === undefined ? {} : { wrong_before: row.wrong_before }),
    ...narrowedBy(row),
    expected_missing: removed ? null : (row.missing_inputs ?? null),
  };
  try {
    const scored = await options.scorer.score(requestOf(row, index, options));
    refuseNonFinite(scored);
    return {
      ...base,
      candidates: scored.candidates.map(withoutNegativeZero),
      ...(scored.languages === undefined ? {} : { languages: scored.languages }),
      ...(scored.followUp === undefined ? {} : { followUp: scored.followUp }),
      ...(await otherWishes(scored, row, { index, options })),
      early_reason: scored.earlyReason,
      error_code: null,
      gold_rank: rankOf(workflowId, scored.ranking),
    };
  } catch (error) {
    return { ...base, candidates: [], early_reason: null, error_code: toSluiceError(error).code, gold_rank: null };
  }
}

const noSign = -1000;

async function otherWishes(
  { several, negated }: ScoredRequest,
  row: LabelledRequest,
  { index, options }: { readonly index: number; readonly options: ScoreOptions },
): Promise<Pick<ScoredRecord, "several" | "negated" | "joined">> {
  const own = { ...(several === undefined ? {} : { several }), ...(negated === undefined ? {} : { negated }) };
  const text = options.joins?.get(row.id);
  if (text === undefined) return own;
  const joined = await options.scorer.score(requestOf({ ...row, text }, index, options));
  return { ...own, joined: joined.several ?? noSign };
}

/**
 * The request that a caller would send, without `event_type`: an exact event decides without the text, and scoring
 * measures the text path.
 */
function requestOf(row: LabelledRequest, index: number, options: ScoreOptions): RouteRequest {
  return {
    request_id: `row-${index}`,
    text: row.text.trim(),
    context: row.context ?? {},
    catalog_version: options.catalogVersion,
    allowed_workflow_ids: row.allowed_workflow_ids ?? options.workflowIds,
    blocked_workflow_ids: [],
    event_type: null,
    language: null,
    ...(row.previous === undefined ? {} : { previous: row.previous }),
    debug: false,
  };
}

function rankOf(workflowId: string | null, ranking: readonly string[]): number | null {
  const position = workflowId === null ? -1 : ranking.indexOf(workflowId);
  return position < 0 ? null : position + 1;
}

function refuseNonFinite(scored: ScoredRequest): void {
  const sound = scored.candidates.every(({ retrieval_score: retrievalScore, logits, features }) =>
    [retrievalScore, logits.mismatch, logits.needs_input, logits.executable, ...(features?.values ?? [])].every(
      Number.isFinite,
    ),
  );
  if (!sound) throw new SluiceError("MODEL_RUN_FAILED", "a score is not a finite number");
}

/** JSON has no negative zero. Removing it makes a resumed run byte-identical to an uninterrupted one. */
function withoutNegativeZero(candidate: ScoredRecord["candidates"][number]): ScoredRecord["candidates"][number] {
  const { mismatch, needs_input: needsInput, executable } = candidate.logits;
  const positive = {
    ...candidate,
    retrieval_score: candidate.retrieval_score + 0,
    logits: { mismatch: mismatch + 0, needs_input: needsInput + 0, executable: executable + 0 },
  };
  if (candidate.features === undefined) return positive;
  const { names, values } = candidate.features;
  return { ...positive, features: { names, values: values.map((value) => value + 0) } };
}

function interrupted(done: number, total: number, kept: boolean): SluiceError {
  return new SluiceError("INTERRUPTED", `scoring stopped after ${done} of ${total} requests`, {
    hint: kept
      ? "Run the same command again: it continues where it stopped."
      : "Run the same command again: it starts from the first request.",
    details: { done, total },
  });
}
