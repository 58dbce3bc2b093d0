import { join } from "node:path";
import { openResumeLog } from "../../eval/resume-log.js";
import { scoredTableBytes, readScoredTable } from "../../eval/scored-table.js";
import type { ScoringInputs } from "../../eval/shard-file.js";
import { canonicalBytes, canonicalJson } from "../../src/base/canonical-json.js";
import { sha256Hex, type Sha256 } from "../../src/base/sha256.js";
import { defaultPolicy, type RoutingPolicy } from "../../src/documents/policy.js";
import type { Run, ScoredRecord } from "../../src/documents/scored-record.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { serializerIdentity } from "../../src/documents/workflow-text/identity.js";
import { getBlob } from "../../store/history/read.js";
import {
  type Reference,
  readSplit,
  type Stored,
  readCatalog,
  readModel,
  readPolicy,
} from "../../store/records/read-records.js";
import { modelOf } from "../../store/records/model-of.js";
import { earlierScores } from "./earlier-scores.js";
import { saveRecord, type Session } from "../../store/records/session.js";
import { readScoringWork, type ScoringWork, scoreWork } from "./scoring-work.js";
import { joinedRequests } from "../../datasets/joined-requests.js";
import { type LeftOutOptions, leftOutParts } from "../../datasets/left-out.js";
import { scoreRows, type ScoreRowsOptions } from "./score-rows.js";

export interface ScoreRunOptions {
  readonly splitId?: string | undefined;
  /** A model in the history, or a model directory. Default: the latest of its role. */
  readonly retriever?: Reference | undefined;
  readonly verifier?: Reference | undefined;
  /** Default: the default policy. */
  readonly policy?: RoutingPolicy | undefined;
  readonly workers: number;
  /** Maximum share of requests whose scoring may fail. */
  readonly maxErrorShare: number;
}

export interface ScoredRun {
  readonly run: Sha256;
  readonly document: Run;
  /** The earlier run whose scores were reused; null if the requests were scored. */
  readonly scores_of: string | null;
  readonly milliseconds: number;
}

/**
 * Saves the specified models and policy, and reads everything that determines the scores.
 * @throws {SluiceError} RECORD_NOT_FOUND, MODEL_INVALID, and the errors of loading
 */
export async function openScoringWork(
  session: Session,
  options: Pick<ScoreRunOptions, "splitId" | "retriever" | "verifier" | "policy">,
): Promise<ScoringWork> {
  const { history } = session;
  const split = readSplit(history, options.splitId);
  const retriever = await modelOf(session, "retriever", options.retriever);
  const verifier = await modelOf(session, "verifier", options.verifier);
  const policy = saveRecord(session, "policy", canonicalBytes(options.policy ?? defaultPolicy));
  const inputs: ScoringInputs = {
    catalog_sha256: split.document.catalog_sha256,
    dataset_sha256: split.document.dataset_sha256,
    split_sha256: split.sha256,
    policy_sha256: policy.sha256,
    retriever_sha256: retriever.sha256,
    verifier_sha256: verifier.sha256,
    serializer_sha256: serializerIdentity().goldenSha256,
  };
  return readScoringWork(inputs, (sha256) => getBlob(history, sha256));
}

/**
 * Scores every request of the split's dataset once, with the serving code, and saves the run. Scores of an earlier run
 * with the same models, catalog and policy under a different split are reused. An interrupted run resumes where it
 * stopped; equal inputs give equal bytes.
 * @throws {SluiceError} INTERRUPTED, SCORING_ERRORS, and the errors of loading
 */
export async function scoreRun(session: Session, options: ScoreRunOptions): Promise<ScoredRun> {
  const { history, context } = session;
  const { workers, maxErrorShare } = options;
  const started = context.clock();
  const work = await openScoringWork(session, options);
  const { inputs, policy } = work;
  const resume = openResumeLog(unfinishedFolder(session), sha256Hex(canonicalJson(inputs)));
  const earlier = earlierScores(history, inputs, work);
  const { records, modelVersion } = earlier ?? (await scoreWork(work, { context, workers }, { resume }));
  const kept = saveRun(session, { ...runOf(records), inputs, modelVersion, topK: policy.top_k }, maxErrorShare);
  resume.remove();
  return { ...kept, scores_of: earlier?.runId ?? null, milliseconds: context.clock() - started };
}

/** Folder for the finished records of a workspace's unfinished runs and shards. */
export const unfinishedFolder = ({ context }: Pick<Session, "context">): string =>
  join(context.workspace.directory, "unfinished");

export interface RunToKeep {
  readonly inputs: ScoringInputs;
  readonly table: Uint8Array;
  readonly requests: number;
  /** Number of requests whose scoring failed. */
  readonly errors: number;
  readonly modelVersion: string;
  readonly topK: number;
}

export const runOf = (records: readonly ScoredRecord[]): Pick<RunToKeep, "table" | "requests" | "errors"> => ({
  table: scoredTableBytes(records),
  requests: records.length,
  errors: records.filter(({ error_code: errorCode }) => errorCode !== null).length,
});

/** Saves a scored run; equal records give equal bytes. @throws {SluiceError} SCORING_ERRORS */
export function saveRun(
  session: Session,
  { inputs, table, requests, errors, modelVersion, topK }: RunToKeep,
  maxErrorShare: number,
): Pick<ScoredRun, "run" | "document"> {
  refuseErrors(errors, requests, maxErrorShare);
  const run: Run = {
    schema_version: 1,
    kind: "scored",
    ...inputs,
    model_version: modelVersion,
    records_sha256: sha256Hex(table),
    requests,
    scoring_errors: errors,
    top_k: topK,
  };
  const { sha256 } = saveRecord(session, "run", canonicalBytes(run), [table]);
  return { run: sha256, document: run };
}

function refuseErrors(errors: number, requests: number, maxShare: number): void {
  if (errors <= requests * maxShare) return;
  throw new SluiceError("SCORING_ERRORS", `${errors} of ${requests} requests failed, at most ${maxShare} may`, {
    hint: say`Scored requests are saved. Run the command again, or allow more failures: ${command`sluice eval run --max-errors SHARE`}`,
  });
}

/** Requests to score, and the number of inference threads. */
type WorkOverRun = Pick<ScoreRowsOptions, "rows" | "foldOf" | "kin" | "removedWorkflows" | "workers"> & {
  /** Rows that are scored without the examples of their families. Default: none. */
  readonly leftOut?: LeftOutOptions;
};

/** Scores requests with the catalog, policy and models of a run, and returns the records as a run would store them. */
export async function scoreOverRun(
  { history, context }: Session,
  { document }: Stored<Run>,
  { leftOut, ...work }: WorkOverRun,
): Promise<readonly ScoredRecord[]> {
  const catalog = readCatalog(history, document.catalog_sha256).document;
  const policy = readPolicy(history, document.policy_sha256).document;
  const parts = leftOut === undefined ? undefined : leftOutParts(work.rows, catalog, leftOut);
  const { removedWorkflows: removed = new Set() } = work;
  const asked = {
    ...work,
    catalog,
    policy,
    joins: joinedRequests(work.rows, { words: policy.several_wishes, removed, parts }),
    context,
    progress: context.progress,
    models: {
      retrieverFiles: readModel(history, document.retriever_sha256).files,
      verifierFiles: readModel(history, document.verifier_sha256).files,
    },
  };
  const { records } = await scoreRows(asked, parts);
  // Writing and reading rounds the features, as in a stored run.
  return readScoredTable(scoredTableBytes(records), "scored records");
}
