import { existsSync } from "node:fs";
import { shardedRunId, type ShardKey } from "../../../eval/shard-file.js";
import { sha256Hex, type Sha256 } from "../../../src/base/sha256.js";
import { SluiceError, toSluiceError } from "../../../src/base/error.js";
import { type OpenModels, openModels } from "../../../src/router/load-models.js";
import { embeddingCacheFolder } from "../../../store/embedding-cache-file.js";
import { keepingIndexes } from "../score-rows.js";
import { scoreShardWith } from "../score-shard.js";
import { readShardKey } from "../shard-key.js";
import { readScoringWork, scoringVersion, type ScoringWork } from "../scoring-work.js";
import { openHistory } from "../../../store/history/open.js";
import { getBlob } from "../../../store/history/read.js";
import type { StepProgress } from "../../../store/step-progress.js";
import type { WorkbenchContext } from "../../../store/workbench-context.js";
import { openQueueAddress, type QueueAddress, type QueueSettings } from "../../../store/project/queue-settings.js";
import {
  connect,
  connectionOf,
  failureText,
  type Job,
  queueName,
  queuePackages,
  type Redis,
  type Worker,
} from "./redis.js";
import {
  type BlobSource,
  openInputs,
  redisBlobs,
  verifiedBlobs,
  readShardJob,
  resultKey,
  resultSeconds,
  type ShardJob,
  shardJobId,
} from "./run-inputs.js";

export interface WorkedShard {
  readonly run: Sha256;
  readonly shard: number;
  readonly shards: number;
  readonly requests: number;
  readonly milliseconds: number;
  /** Why the attempt failed; null if the shard was scored. */
  readonly failure: string | null;
}

export interface QueueWorkerOptions {
  readonly settings: QueueSettings;
  /** Number of shards scored at once, >= 1. */
  readonly concurrency: number;
  /** Number of inference threads per open run, >= 1. */
  readonly workers: number;
  readonly onShard: (shard: WorkedShard) => void;
  /** Time after which the shard of an unresponsive worker is given to another one, in milliseconds. Default 30,000. */
  readonly lockMs?: number;
}

/** Maximum number of times that a shard is restarted after its worker disappeared. */
export const mostVanished = 2;
const defaultLockMs = 30_000;
const progressEveryMs = 1000;

/**
 * Scores shards of the queue until the signal is aborted. Shards in progress are then returned to the queue.
 * @returns  the number of scored shards
 * @throws {SluiceError} SERVER_UNREACHABLE Redis cannot be used at the start; later the worker waits for it
 * @throws {SluiceError} USAGE, PACKAGE_MISSING, FILE_NOT_FOUND, and the errors of `readShardKey`
 */
export async function workOnQueue(context: WorkbenchContext, options: QueueWorkerOptions): Promise<number> {
  const packages = await queuePackages();
  const address = await openQueueAddress(options.settings);
  const key = await readShardKey(context.workspace, options.settings.key);
  const redis = await connect(packages, address);
  const runs = new OpenRuns(context, options, { redis, address });
  const lockMs = options.lockMs ?? defaultLockMs;
  let scored = 0;
  const process = async (job: Job, token?: string): Promise<string> => {
    const started = context.clock();
    const told = { requests: 0, failure: null as string | null };
    const data = readShardJob(job.data);
    try {
      const { bytes, requests } = await scoreJob(runs, job, { data, context, key, workers: options.workers });
      const id = shardJobId(data);
      // A separate key, because BullMQ would copy a returned value into its event stream.
      await redis.set(resultKey(address.prefix, id), bytes, "EX", resultSeconds);
      told.requests = requests;
      scored += 1;
      return sha256Hex(bytes);
    } catch (error) {
      if (context.signal.aborted) {
        await job.moveToWait(token);
        throw new packages.WaitingError();
      }
      told.failure = failureText(error);
      throw new Error(told.failure);
    } finally {
      if (!context.signal.aborted || told.requests > 0) {
        const { shard, shards } = data;
        options.onShard({ run: shardedRunId(data), shard, shards, milliseconds: context.clock() - started, ...told });
      }
    }
  };
  const worker = new packages.Worker(queueName, process, {
    connection: { ...connectionOf(address), maxRetriesPerRequest: null },
    prefix: address.prefix,
    concurrency: options.concurrency,
    lockDuration: lockMs,
    stalledInterval: lockMs,
    maxStalledCount: mostVanished,
  });
  // Connections are re-established, and lost shards are assigned again.
  worker.on("error", () => undefined);
  await untilAborted(context.signal);
  await closeWorker(worker);
  redis.disconnect();
  await runs.close();
  return scored;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

const closeWithinMs = 5000;

/** Waits until the shards in progress are back in the queue, for a limited time if Redis is unavailable. */
async function closeWorker(worker: Worker): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), closeWithinMs);
  });
  const closed = worker.close().catch(() => undefined);
  if ((await Promise.race([closed, late])) === "late") await worker.disconnect();
  clearTimeout(timer);
}

interface JobToScore {
  readonly data: ShardJob;
  readonly context: WorkbenchContext;
  readonly key: ShardKey;
  readonly workers: number;
}

async function scoreJob(runs: OpenRuns, job: Job, { data, context, key, workers }: JobToScore) {
  const expected = scoringVersion();
  if (data.scoring_version !== expected) {
    throw new SluiceError(
      "IDENTITY_MISMATCH",
      `this worker scores with ${expected}, the run with ${data.scoring_version}`,
    );
  }
  const timeout = AbortSignal.timeout(data.timeout_seconds * 1000);
  const signal = AbortSignal.any([context.signal, timeout]);
  const { shard, shards } = data;
  return runs.use(data, async ({ work, open }) => {
    const place = { context: { ...context, signal, progress: progressOf(job, context.clock) }, workers };
    const scoring = scoreShardWith(open, work, { ...place, key, part: { shard, shards } });
    scoring.catch(() => undefined);
    const late = new Promise<never>((_, reject) => {
      const refuse = (): void => {
        const text = `not scored within ${data.timeout_seconds} s`;
        reject(new SluiceError("DEADLINE_EXCEEDED", text, { hint: "Allow more time, or make shards smaller." }));
      };
      timeout.addEventListener("abort", refuse, { once: true });
    });
    const { bytes, header } = await Promise.race([scoring, late]);
    return { bytes, requests: header.requests };
  });
}

/** Reports the number of finished requests of the shard, at most once per second. */
function progressOf(job: Job, clock: () => number): StepProgress {
  let sentMs = clock();
  return {
    start: () => undefined,
    update: (finished) => {
      if (clock() - sentMs < progressEveryMs) return;
      sentMs = clock();
      job.updateProgress(finished).catch(() => undefined);
    },
    done: () => undefined,
  };
}

interface OpenRun {
  readonly work: ScoringWork;
  readonly open: OpenModels;
}

interface HeldRun {
  readonly run: Promise<OpenRun>;
  active: number;
}

/** Inputs and models of the current runs: read once, verified, and closed when another run begins. */
class OpenRuns {
  readonly #held = new Map<Sha256, HeldRun>();
  readonly #context: WorkbenchContext;
  readonly #options: QueueWorkerOptions;
  readonly #place: { readonly redis: Redis; readonly address: QueueAddress };

  constructor(
    context: WorkbenchContext,
    options: QueueWorkerOptions,
    place: { readonly redis: Redis; readonly address: QueueAddress },
  ) {
    this.#context = context;
    this.#options = options;
    this.#place = place;
  }

  async use<T>(job: ShardJob, score: (run: OpenRun) => Promise<T>): Promise<T> {
    const id = shardedRunId(job);
    await this.#closeIdle(id);
    const held = this.#held.get(id) ?? { run: this.#load(id, job), active: 0 };
    this.#held.set(id, held);
    held.active += 1;
    try {
      return await score(await held.run);
    } catch (error) {
      // Threads that failed or hang are not reused.
      if (!this.#context.signal.aborted && this.#held.get(id) === held) this.#held.delete(id);
      throw error;
    } finally {
      held.active -= 1;
      if (held.active === 0 && this.#held.get(id) !== held) void closeRun(held);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#held.values()].map(closeRun));
  }

  async #closeIdle(except: Sha256): Promise<void> {
    const idle = [...this.#held].filter(([id, { active }]) => id !== except && active === 0);
    for (const [id] of idle) this.#held.delete(id);
    await Promise.all(idle.map(([, held]) => closeRun(held)));
  }

  async #load(run: Sha256, job: ShardJob): Promise<OpenRun> {
    const { workspace } = this.#context;
    const shared = await openInputs(this.#options.settings, this.#context);
    const { redis, address } = this.#place;
    const history = existsSync(workspace.history) ? openHistory(workspace.history, { readOnly: true }) : null;
    try {
      const sources: BlobSource[] = [
        ...(shared === null ? [] : [shared.read]),
        ...(history === null ? [] : [async (sha256: Sha256) => blobIfAny(() => getBlob(history, sha256))]),
        redisBlobs({ redis, prefix: address.prefix, run }),
      ];
      const work = await readScoringWork(job, verifiedBlobs(sources));
      const cache = embeddingCacheFolder(workspace.vectors);
      const open = await openModels(work.models, {
        workers: this.#options.workers,
        queueLimit: 4096,
        cache,
        cachesRequests: true,
      });
      return { work, open: keepingIndexes(open) };
    } finally {
      history?.close();
    }
  }
}

function blobIfAny(read: () => Buffer): Buffer | null {
  try {
    return read();
  } catch (error) {
    if (toSluiceError(error).code === "RECORD_NOT_FOUND") return null;
    throw error;
  }
}

async function closeRun({ run }: HeldRun): Promise<void> {
  const opened = await run.catch(() => null);
  await opened?.open.close();
}
