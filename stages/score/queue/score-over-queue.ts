import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  openShard,
  shardedRunId,
  shardFileName,
  type ShardHeader,
  type ShardKey,
  sizeOfShard,
} from "../../../eval/shard-file.js";
import { replaceFile, readStoredFile } from "../../../src/base/files.js";
import type { Sha256 } from "../../../src/base/sha256.js";
import { command, say, SluiceError, type Text, toSluiceError } from "../../../src/base/error.js";
import { shardOf, mergedRunOf, requireShard } from "../score-shard.js";
import type { ScoringWork } from "../scoring-work.js";
import type { History } from "../../../store/history/open.js";
import { makeFolders } from "../../../store/make-folders.js";
import type { WorkbenchContext } from "../../../store/workbench-context.js";
import { openQueueAddress, type QueueAddress, type QueueSettings } from "../../../store/project/queue-settings.js";
import {
  connect,
  connectionOf,
  type Queue,
  queueName,
  type QueuePackages,
  queuePackages,
  reasonOf,
  type Redis,
  unavailable,
} from "./redis.js";
import {
  blobsOfRun,
  emptyRedis,
  fillInputs,
  fillRedis,
  openInputs,
  resultKey,
  resultOf,
  resultSeconds,
  shardJob,
  shardJobId,
} from "./run-inputs.js";
import { mergeShards } from "../../../eval/merge-shards.js";
import { earlierScores } from "../earlier-scores.js";
import {
  saveRun,
  openScoringWork,
  runOf,
  type RunToKeep,
  type ScoredRun,
  type ScoreRunOptions,
  unfinishedFolder,
} from "../score-run.js";
import { shardKeyOrNew } from "../shard-key.js";
import type { Session } from "../../../store/records/session.js";

export interface ScoreOverQueueOptions {
  readonly settings: QueueSettings;
  /** Authenticates the results of workers. */
  readonly key: ShardKey;
  readonly shards: number;
  /** Folder for finished shards until all have arrived; another attempt continues with them. */
  readonly folder: string;
  /** Maximum time of one attempt at a shard, in seconds. */
  readonly timeoutSeconds: number;
  /** Receives messages for the user: if no worker is connected, and when Redis becomes unavailable or available. */
  readonly onNote: (line: Text) => void;
  /** Maximum time for which Redis may be unavailable, in milliseconds. Default 300,000. */
  readonly patienceMs?: number;
}

/** Maximum number of attempts at a shard that workers report as failed. */
const attempts = 3;
/** Maximum number of shards in Redis: waiting, in progress, or finished but not fetched. */
const window = 64;
const pollMs = 100;
const defaultPatienceMs = 300_000;

type PlannedShard = ReturnType<typeof shardOf>;

/**
 * Lets workers score the shards of a run, and stores each as a file.
 * @returns  the paths of all shard files
 * @throws {SluiceError} SERVER_UNREACHABLE, INTERRUPTED  finished shards are in the folder
 * @throws {SluiceError} SHARDS_FAILED  lists the shards that failed in all attempts, after all other shards have
 *   finished
 */
export async function scoreOverQueue(
  context: WorkbenchContext,
  history: History,
  work: ScoringWork,
  options: ScoreOverQueueOptions,
): Promise<readonly string[]> {
  const packages = await queuePackages();
  const address = await openQueueAddress(options.settings);
  await makeFolders(options.folder);
  const coordinator = new Coordinator(context, work, { ...options, history });
  await coordinator.readFinished();
  if (!coordinator.isDone()) {
    const redis = await connect(packages, address);
    const queue = openQueue(packages, address);
    try {
      await coordinator.run({ queue, redis, address });
    } finally {
      redis.disconnect();
      await queue.close().catch(() => undefined);
    }
  }
  return coordinator.files();
}

function openQueue({ Queue }: QueuePackages, address: QueueAddress): Queue {
  const connection = { ...connectionOf(address), maxRetriesPerRequest: 2 };
  const streams = { events: { maxLen: 100 } };
  const queue = new Queue(queueName, { connection, prefix: address.prefix, streams });
  queue.on("error", () => undefined);
  return queue;
}

interface Connection {
  readonly queue: Queue;
  readonly redis: Redis;
  readonly address: QueueAddress;
}

/** The state of one run: its shards that are waiting, in Redis, finished, or permanently failed. */
class Coordinator {
  readonly #context: WorkbenchContext;
  readonly #options: ScoreOverQueueOptions & { readonly history: History };
  readonly #run: Sha256;
  readonly #planned: readonly PlannedShard[];
  readonly #blobs: readonly Sha256[];
  /** Numbers of waiting shards; the last one is added next. */
  #waiting: number[] = [];
  readonly #inRedis = new Map<number, number>();
  readonly #finished = new Set<number>();
  readonly #failed = new Map<number, string>();
  readonly #refused = new Map<number, number>();
  #goneSinceMs: number | null = null;
  #wasGone = false;

  constructor(
    context: WorkbenchContext,
    work: ScoringWork,
    options: ScoreOverQueueOptions & { readonly history: History },
  ) {
    this.#context = context;
    this.#options = options;
    const { shards } = options;
    this.#planned = Array.from({ length: shards }, (_, i) => shardOf(work, { shard: i + 1, shards }));
    this.#run = shardedRunId(shardOf(work, { shard: 1, shards }));
    this.#blobs = blobsOfRun(options.history, work.inputs);
  }

  files(): readonly string[] {
    return this.#planned.map((planned) => this.#fileOf(planned));
  }

  isDone(): boolean {
    return this.#finished.size === this.#planned.length;
  }

  async readFinished(): Promise<void> {
    for (const planned of this.#planned) {
      const file = this.#fileOf(planned);
      if (existsSync(file) && this.#problemOf(await readStoredFile(file), planned, "whole") === null)
        this.#finished.add(planned.shard);
      else this.#waiting.push(planned.shard);
    }
    this.#waiting.reverse();
  }

  async run(connection: Connection): Promise<void> {
    const { context, options } = { context: this.#context, options: this.#options };
    const total = this.#planned[0]?.dataset_requests ?? 0;
    await this.#offerInputs();
    await this.#enduring(connection, () => this.#prepare(connection));
    context.progress.start("scoring", total);
    let idleSinceMs: number | null = context.clock();
    while (this.#waiting.length > 0 || this.#inRedis.size > 0) {
      if (context.signal.aborted) throw await this.#withdraw(connection);
      const moved = await this.#enduring(connection, async () => {
        await this.#add(connection);
        return this.#collect(connection);
      });
      context.progress.update(this.#requestsDone());
      if (moved !== 0) idleSinceMs = context.clock();
      else if (idleSinceMs !== null && context.clock() - idleSinceMs > silentMs) {
        idleSinceMs = null;
        if (this.#finished.size === 0)
          options.onNote(
            say`no shard is finished yet; start workers: ${command`sluice eval worker --queue ${connection.address.address}`}`,
          );
      }
      if (moved === 0) await pause(pollMs, context.signal);
    }
    context.progress.done();
    await this.#enduring(connection, () => this.#clean(connection));
    if (this.#failed.size > 0) throw this.#failure();
  }

  async #offerInputs(): Promise<void> {
    const { history, settings } = this.#options;
    const inputs = await openInputs(settings, this.#context);
    if (inputs !== null) await fillInputs(inputs, history, this.#blobs);
  }

  async #prepare({ queue, redis, address }: Connection): Promise<void> {
    const { history, settings } = this.#options;
    if (settings.ship_texts === true)
      await fillRedis({ redis, prefix: address.prefix, run: this.#run }, history, this.#blobs);
    // Retries failures of an earlier attempt, because the user started a new one.
    for (const shard of this.#waiting.slice(-window)) {
      const job = await queue.getJob(this.#idOf(shard));
      if (job !== undefined && (await job.getState()) === "failed") await job.remove();
    }
  }

  async #add({ queue, redis, address }: Connection): Promise<void> {
    const room = Math.min(window - this.#inRedis.size, this.#waiting.length);
    if (room <= 0) return;
    const shards = this.#waiting.slice(-room).reverse();
    if (this.#wasGone && this.#options.settings.ship_texts === true) {
      await fillRedis({ redis, prefix: address.prefix, run: this.#run }, this.#options.history, this.#blobs);
    }
    await queue.addBulk(
      shards.map((shard) => ({
        name: "shard",
        data: shardJob(this.#plannedAt(shard), this.#options.timeoutSeconds),
        opts: {
          jobId: this.#idOf(shard),
          attempts,
          backoff: { type: "exponential", delay: 500 },
          removeOnComplete: { age: resultSeconds },
          removeOnFail: { age: resultSeconds },
        },
      })),
    );
    this.#waiting.length -= room;
    for (const shard of shards) this.#inRedis.set(shard, 0);
  }

  /** @returns  the number of shards removed from Redis */
  async #collect({ queue, redis, address }: Connection): Promise<number> {
    let moved = 0;
    for (const shard of this.#inRedis.keys()) {
      const id = this.#idOf(shard);
      const job = await queue.getJob(id);
      if (job === undefined) {
        // Redis lost the shard.
        this.#inRedis.delete(shard);
        this.#waiting.push(shard);
        continue;
      }
      if (typeof job.progress === "number") this.#inRedis.set(shard, job.progress);
      if (job.finishedOn === undefined) continue;
      const failed = (await job.getState()) === "failed";
      if (failed) this.#failed.set(shard, failureOf(job.failedReason));
      else await this.#store(shard, await resultOf(redis, resultKey(address.prefix, id)));
      await queue.remove(id);
      await redis.unlink(resultKey(address.prefix, id));
      this.#inRedis.delete(shard);
      moved += 1;
    }
    return moved;
  }

  /** Requests a shard again whose result is missing or invalid, as often as after a failure. */
  #refuse(shard: number, problem: string): void {
    const refused = (this.#refused.get(shard) ?? 0) + 1;
    this.#refused.set(shard, refused);
    if (refused < attempts) this.#waiting.unshift(shard);
    else this.#failed.set(shard, `its workers sent invalid results (${problem})`);
  }

  /** Writes a result to a file, unless it is not the requested shard. */
  async #store(shard: number, bytes: Buffer | null): Promise<void> {
    const planned = this.#plannedAt(shard);
    const problem = bytes === null ? "no result" : this.#problemOf(bytes, planned, "any");
    if (bytes === null || problem !== null) return this.#refuse(shard, problem ?? "no result");
    await replaceFile(this.#fileOf(planned), bytes, 0o644);
    this.#finished.add(shard);
  }

  /** Why bytes are not the planned shard; `whole`: without failed requests, which are scored again. */
  #problemOf(bytes: Uint8Array, planned: PlannedShard, errors: "any" | "whole"): string | null {
    const other = "not the requested shard";
    const same: readonly (keyof ShardHeader & keyof PlannedShard)[] = ["shard", "shards", "dataset_requests", "top_k"];
    try {
      const { header } = openShard(bytes, "result", this.#options.key);
      if (errors === "whole" && header.scoring_errors > 0) return "requests failed";
      const matches =
        shardedRunId(header) === shardedRunId(planned) && same.every((key) => header[key] === planned[key]);
      return matches ? null : other;
    } catch (error) {
      return toSluiceError(error).message;
    }
  }

  async #clean({ queue, redis, address }: Connection): Promise<void> {
    const prefix = address.prefix;
    if (this.#options.settings.ship_texts === true) await emptyRedis({ redis, prefix, run: this.#run }, this.#blobs);
    if (!this.#wasGone) return;
    // A Redis that came back with an older state may contain removed jobs.
    for (const { shard } of this.#planned) {
      await queue.remove(this.#idOf(shard)).catch(() => 0);
      await redis.unlink(resultKey(prefix, this.#idOf(shard)));
    }
  }

  /**
   * After Ctrl-C, removes shards from Redis that no worker has started. Shards in progress are fetched by the next
   * attempt.
   */
  async #withdraw(connection: Connection): Promise<SluiceError> {
    const { queue } = connection;
    await this.#collect(connection).catch(() => 0);
    const ids = [...this.#inRedis.keys()].map((shard) => this.#idOf(shard));
    const late = AbortSignal.timeout(withdrawMs);
    for (const id of ids) {
      if (late.aborted) break;
      await queue.remove(id).catch(() => 0);
    }
    this.#context.progress.done();
    return new SluiceError(
      "INTERRUPTED",
      `scoring stopped after ${this.#finished.size} of ${this.#planned.length} shards`,
      {
        hint: "Run the same command again: it continues where it stopped.",
        details: { done: this.#finished.size, total: this.#planned.length },
      },
    );
  }

  #failure(): SluiceError {
    const failed = [...this.#failed].sort(([a], [b]) => a - b);
    const shown = failed.slice(0, shownFailures).map(([shard, reason]) => `shard ${shard}: ${reason}`);
    const more = failed.length > shown.length ? [`and ${failed.length - shown.length} more`] : [];
    const text = `${failed.length} of ${this.#planned.length} shards failed ${attempts} times; ${[...shown, ...more].join("; ")}`;
    return new SluiceError("SHARDS_FAILED", text, {
      hint: "The other shards are stored. Correct the cause and run the same command again: it scores only these.",
      details: { failed: failed.map(([shard, reason]) => ({ shard, reason })) },
    });
  }

  /** Repeats an action while Redis is unavailable, up to the time limit. */
  async #enduring<T>({ address }: Connection, action: () => Promise<T>): Promise<T> {
    const { context, options } = { context: this.#context, options: this.#options };
    for (;;) {
      try {
        const result = await action();
        if (this.#goneSinceMs !== null) options.onNote(`${address.address} is back`);
        this.#goneSinceMs = null;
        return result;
      } catch (error) {
        if (error instanceof SluiceError || context.signal.aborted) throw error;
        if (!isConnectionFailure(error)) throw unavailable(address, reasonOf(error));
        const now = context.clock();
        if (this.#goneSinceMs === null)
          options.onNote(`${address.address} is gone (${reasonOf(error)}); waiting for it`);
        this.#goneSinceMs ??= now;
        this.#wasGone = true;
        if (now - this.#goneSinceMs > (options.patienceMs ?? defaultPatienceMs))
          throw unavailable(address, reasonOf(error));
        await pause(goneMs, context.signal);
      }
    }
  }

  #requestsDone(): number {
    const total = this.#planned[0]?.dataset_requests ?? 0;
    let done = 0;
    for (const shard of this.#finished) done += sizeOfShard(total, this.#plannedAt(shard));
    for (const finished of this.#inRedis.values()) done += finished;
    return done;
  }

  #plannedAt(shard: number): PlannedShard {
    const planned = this.#planned[shard - 1];
    if (planned === undefined) throw new RangeError(`no shard ${shard}`);
    return planned;
  }

  #fileOf(planned: PlannedShard): string {
    return join(this.#options.folder, shardFileName(planned));
  }

  #idOf(shard: number): string {
    return shardJobId(this.#plannedAt(shard));
  }
}

const silentMs = 3000;
const goneMs = 500;
const withdrawMs = 3000;
const shownFailures = 5;

/** Text of a failure: the reason if it comes from a Sluice worker, otherwise a general text. */
const failureOf = (reason: string | undefined): string => {
  if (reason === undefined) return "no reason was given";
  if (reason.startsWith("job stalled more than allowable limit")) return "its workers vanished";
  return /^[A-Z_]+: /.test(reason) ? reason : "the worker met an unexpected error";
};

const isConnectionFailure = (error: unknown): boolean => {
  const { name, message } = error as { readonly name?: string; readonly message?: string };
  const text = `${name ?? ""} ${message ?? ""}`;
  return /MaxRetries|ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|[Cc]onnection|LOADING|MASTERDOWN|READONLY/.test(
    text,
  );
};

/** Waits for a time, or until the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
}

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
 * @throws {SluiceError} SERVER_UNREACHABLE, SHARDS_FAILED, INTERRUPTED, SCORING_ERRORS, and the errors of loading
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
  const key = await shardKeyOrNew(context.workspace, options.settings.key);
  const run =
    earlier === null
      ? await merged(
          await scoreOverQueue(context, history, work, { ...options, key, shards, folder, timeoutSeconds }),
          key,
        )
      : { ...runOf(earlier.records), modelVersion: earlier.modelVersion, topK: policy.top_k };
  const kept = saveRun(session, { inputs, ...run }, options.maxErrorShare);
  await rm(folder, { recursive: true, force: true });
  return { ...kept, scores_of: earlier?.runId ?? null, milliseconds: context.clock() - started };
}

async function merged(files: readonly string[], key: ShardKey): Promise<Omit<RunToKeep, "inputs">> {
  const named = [];
  for (const file of files) named.push({ name: file, bytes: await readStoredFile(file, { followLinks: true }) });
  return mergedRunOf(mergeShards(named, key));
}
