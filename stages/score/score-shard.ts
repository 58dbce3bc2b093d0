import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type MergedShards, mergeShards } from "../../eval/merge-shards.js";
import { openResumeLog } from "../../eval/resume-log.js";
import {
  openShard,
  shardBytes,
  shardedRunId,
  shardFileName,
  type ShardHeader,
  type ShardKey,
  type ShardPart,
} from "../../eval/shard-file.js";
import { replaceFile, readStoredFile } from "../../src/base/files.js";
import { canonicalBytes, canonicalJson } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { defaultPolicy, type RoutingPolicy } from "../../src/documents/policy.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { OpenModels } from "../../src/router/load-models.js";
import { findEntry } from "../../store/history/read.js";
import type { HistoryKind } from "../../src/documents/choices.js";
import { makeFolders } from "../../store/make-folders.js";
import { modelOf } from "../../store/records/model-of.js";
import type { Reference } from "../../store/records/read-records.js";
import { saveRecord, type Session } from "../../store/records/session.js";
import {
  saveRun,
  openScoringWork,
  type RunToKeep,
  type ScoredRun,
  type ScoreRunOptions,
  unfinishedFolder,
} from "./score-run.js";
import { withModels } from "./score-rows.js";
import { readShardKey, shardKeyOrNew } from "./shard-key.js";
import {
  type ScoringPart,
  type ScoringPlace,
  scoreWorkWith,
  scoringVersion,
  type ScoringWork,
} from "./scoring-work.js";

/** A scored shard: its header, and the bytes of its file. */
export interface ScoredShard {
  readonly header: ShardHeader;
  readonly bytes: Buffer;
}

export const shardOf = (work: ScoringWork, part: ShardPart) => ({
  ...work.inputs,
  ...part,
  scoring_version: scoringVersion(),
  top_k: work.policy.top_k,
  dataset_requests: work.rows.length,
});

/** @throws {SluiceError} USAGE  there are more shards than requests */
export function requireShard({ rows }: Pick<ScoringWork, "rows">, { shard, shards }: ShardPart): void {
  if (shards <= rows.length) return;
  throw new SluiceError("USAGE", `shard ${shard} of ${shards}: the dataset has only ${rows.length} requests`, {
    hint: "Divide it into fewer shards.",
  });
}

/** Scores one shard with open models. @throws {SluiceError} INTERRUPTED, and the errors of scoring */
export async function scoreShardWith(
  open: OpenModels,
  work: ScoringWork,
  {
    part,
    key,
    resume,
    ...place
  }: ScoringPlace & Pick<ScoringPart, "resume"> & { readonly part: ShardPart; readonly key: ShardKey },
): Promise<ScoredShard> {
  const asked = resume === undefined ? { shard: part } : { shard: part, resume };
  const { records, modelVersion } = await scoreWorkWith(open, work, place, asked);
  const bytes = shardBytes({ ...shardOf(work, part), model_version: modelVersion }, records, key);
  return { header: openShard(bytes, "shard", key).header, bytes };
}

export interface ScoreShardOptions extends Omit<ScoreRunOptions, "maxErrorShare"> {
  readonly part: ShardPart;
  /** Folder for shard files; created if missing. */
  readonly folder: string;
  /** File of the key that authenticates the shard; created if missing. Default: in the workspace. */
  readonly keyFile?: string | undefined;
}

export interface WrittenShard {
  readonly file: string;
  readonly header: ShardHeader;
  /** Whether the file already existed, without failed requests. */
  readonly known: boolean;
  readonly milliseconds: number;
}

/**
 * Scores one shard of a run and writes its file. An existing file without failed requests is reused; an interrupted
 * shard resumes where it stopped.
 * @throws {SluiceError} INTERRUPTED, USAGE, WRITE_FAILED, and the errors of loading
 */
export async function scoreShard(session: Session, options: ScoreShardOptions): Promise<WrittenShard> {
  const { context } = session;
  const { part, folder, workers } = options;
  const started = context.clock();
  const work = await openScoringWork(session, options);
  requireShard(work, part);
  const key = await shardKeyOrNew(context.workspace, options.keyFile);
  const planned = shardOf(work, part);
  const file = join(folder, shardFileName(planned));
  const known = await knownShard(file, planned, key);
  if (known !== null) return { file, header: known, known: true, milliseconds: context.clock() - started };
  const resume = openResumeLog(unfinishedFolder(session), sha256Hex(canonicalJson(planned)));
  const { header, bytes } = await withModels({ context, workers, models: work.models, rows: work.rows }, (open) =>
    scoreShardWith(open, work, { context, workers, part, key, resume }),
  );
  await makeFolders(folder);
  await replaceFile(file, bytes, 0o644);
  resume.remove();
  return { file, header, known: false, milliseconds: context.clock() - started };
}

/** The header of an existing shard without failures; null if the shard must be scored. */
async function knownShard(
  file: string,
  planned: ReturnType<typeof shardOf>,
  key: ShardKey,
): Promise<ShardHeader | null> {
  if (!existsSync(file)) return null;
  try {
    const { header } = openShard(await readStoredFile(file, { followLinks: true }), file, key);
    const same = shardedRunId(header) === shardedRunId(planned) && header.shard === planned.shard;
    return same && header.scoring_errors === 0 ? header : null;
  } catch {
    // A file that is damaged, or not authenticated, is replaced.
    return null;
  }
}

export interface MergeRunOptions {
  /** Shard files, and folders of them. */
  readonly files: readonly string[];
  /** File of the key that the shards were scored with. Default: in the workspace. */
  readonly keyFile?: string | undefined;
  /** Models and policy to save in the history if they are missing. */
  readonly retriever?: Reference | undefined;
  readonly verifier?: Reference | undefined;
  readonly policy?: RoutingPolicy | undefined;
  readonly maxErrorShare: number;
}

export interface MergedRun extends Omit<ScoredRun, "scores_of" | "milliseconds"> {
  readonly shards: number;
}

/**
 * Checks that shard files form a complete run, and saves it, byte-identical to a run scored by one process.
 * @throws {SluiceError} SHARDS_INCOMPLETE, SCORING_ERRORS, and the errors of `readShardKey`
 * @throws {SluiceError} RECORD_NOT_FOUND  an input of the run is not in the history
 */
export async function mergeRun(session: Session, options: MergeRunOptions): Promise<MergedRun> {
  for (const role of ["retriever", "verifier"] as const) {
    if (options[role] !== undefined) await modelOf(session, role, options[role]);
  }
  saveRecord(session, "policy", canonicalBytes(options.policy ?? defaultPolicy));
  const key = await readShardKey(session.context.workspace, options.keyFile);
  const named = [];
  for (const file of await shardFilesOf(options.files))
    named.push({ name: basename(file), bytes: await readStoredFile(file, { followLinks: true }) });
  const { inputs, shards, ...merged } = mergeShards(named, key);
  requireInputs(session, inputs);
  return { ...saveRun(session, { inputs, ...mergedRunOf(merged) }, options.maxErrorShare), shards };
}

async function shardFilesOf(paths: readonly string[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const path of paths) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) files.push(path);
    else files.push(...(await readdir(path)).filter((name) => name.endsWith(".shard")).map((name) => join(path, name)));
  }
  return files;
}

export const mergedRunOf = (
  merged: Pick<MergedShards, "table" | "requests" | "scoring_errors" | "model_version" | "top_k">,
): Omit<RunToKeep, "inputs"> => ({
  table: merged.table,
  requests: merged.requests,
  errors: merged.scoring_errors,
  modelVersion: merged.model_version,
  topK: merged.top_k,
});

function requireInputs({ history }: Session, inputs: ReturnType<typeof mergeShards>["inputs"]): void {
  const kinds: readonly (readonly [HistoryKind, string, keyof typeof inputs])[] = [
    ["catalog", "catalog", "catalog_sha256"],
    ["dataset", "dataset", "dataset_sha256"],
    ["split", "split", "split_sha256"],
    ["policy", "policy", "policy_sha256"],
    ["model", "retriever", "retriever_sha256"],
    ["model", "verifier", "verifier_sha256"],
  ];
  const missing = kinds.filter(([kind, , digest]) => findEntry(history, kind, inputs[digest]) === undefined);
  if (missing.length === 0) return;
  const names = missing.map(([, name, digest]) => `${name} ${inputs[digest].slice(0, 12)}`).join(", ");
  throw new SluiceError("RECORD_NOT_FOUND", `the history lacks inputs of these shards: ${names}`, {
    hint: say`Merge in the workspace that the shards were scored from, or name a model folder: ${command`sluice eval merge FILES --retriever DIR`}`,
  });
}
