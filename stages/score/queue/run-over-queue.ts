import { rm } from "node:fs/promises";
import { join } from "node:path";
import { mergeShards } from "../../../eval/merge-shards.js";
import { shardedRunId } from "../../../eval/shard-file.js";
import { earlierScores } from "../earlier-scores.js";
import { mergedRunOf, requireShard, shardOf } from "../score-shard.js";
import {
  saveRun,
  openScoringWork,
  runOf,
  type RunToKeep,
  type ScoredRun,
  type ScoreRunOptions,
  unfinishedFolder,
} from "../score-run.js";
import { readInput } from "../../../src/base/files.js";
import type { Session } from "../../../store/records/session.js";
import type { QueueSettings } from "../../../store/project/queue-settings.js";
import { scoreOverQueue, type ScoreOverQueueOptions } from "./score-over-queue.js";

/** Options of a run that is scored by the workers of a queue. */
export interface RunOverQueueOptions extends Omit<ScoreRunOptions, "workers">, Pick<ScoreOverQueueOptions, "onNote"> {
  readonly settings: QueueSettings;
  /** Number of shards. Default: one per 200 requests. */
  readonly shards?: number | undefined;
  /** Maximum time of one attempt at a shard, in seconds. Default 1,800. */
  readonly timeoutSeconds?: number | undefined;
  readonly patienceMs?: number;
}

const requestsOfShard = 200;
const defaultTimeoutSeconds = 1800;

/**
 * Scores every request of a split with the workers of a queue, and saves the run, byte-identical to that of `scoreRun`.
 * @throws {SluiceError} QUEUE_UNAVAILABLE, SHARDS_FAILED, INTERRUPTED, SCORING_ERRORS, and the errors of loading
 */
export async function scoreRunOverQueue(session: Session, options: RunOverQueueOptions): Promise<ScoredRun> {
  const { context, history } = session;
  const started = context.clock();
  const work = await openScoringWork(session, options);
  const { inputs, policy } = work;
  const earlier = earlierScores(history, inputs, work);
  const shards = options.shards ?? Math.max(1, Math.ceil(work.rows.length / requestsOfShard));
  requireShard(work, { shard: 1, shards });
  const folder = join(unfinishedFolder(session), shardedRunId(shardOf(work, { shard: 1, shards })));
  const timeoutSeconds = options.timeoutSeconds ?? defaultTimeoutSeconds;
  const run =
    earlier === null
      ? await merged(await scoreOverQueue(context, history, work, { ...options, shards, folder, timeoutSeconds }))
      : { ...runOf(earlier.records), modelVersion: earlier.modelVersion, topK: policy.top_k };
  const kept = saveRun(session, { inputs, ...run }, options.maxErrorShare);
  await rm(folder, { recursive: true, force: true });
  return { ...kept, scoresOf: earlier?.runId ?? null, milliseconds: context.clock() - started };
}

async function merged(files: readonly string[]): Promise<Omit<RunToKeep, "inputs">> {
  const named = [];
  for (const file of files) named.push({ name: file, bytes: await readInput(file) });
  return mergedRunOf(mergeShards(named));
}
