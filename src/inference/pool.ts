import { batchSizeLimits, type PoolStatistics } from "../documents/pool-statistics.js";
import type { RunScope } from "../documents/run-scope.js";
import { SluiceError } from "../base/error.js";
import { AbortWatch, Call, deadlineExceeded, requestCancelled } from "./call.js";
import { WorkerSlot, type WorkerSlotEvents } from "./worker-slot.js";
import type { TextToScore } from "../documents/text-scores.js";
import type { LoadedModel } from "./models/local-models.js";
import type { JobInput, JobOutput, ModelSpec, ScorerOutput, ScorerSpec } from "./protocol.js";
import { type LoadWatch, RetainedModels } from "./retained-models.js";
import { withSharedBytes } from "./shared-bytes.js";
import { requireRows } from "./require-rows.js";

/**
 * Maximum work in one message, except for a single larger job. A longer message would delay its last answers, and its
 * thread could not share new work.
 */
export const messageLimit = { rows: 64, characters: 65_536 } as const;

/** Waiting calls, oldest first. */
export class JobQueue {
  private waiting = new Map<number, Call>();

  get size(): number {
    return this.waiting.size;
  }

  add(call: Call): void {
    this.waiting.set(call.job.id, call);
  }

  delete(call: Call): void {
    this.waiting.delete(call.job.id);
  }

  putBack(calls: readonly Call[]): void {
    this.waiting = new Map([...calls.map((call) => [call.job.id, call] as const), ...this.waiting]);
  }

  /**
   * Takes the next message for one of `sharers` idle threads: an even share of the waiting calls, up to the limit of a
   * message. Expired calls are answered instead. A call whose thread exited is sent alone, so that a job that crashes
   * threads takes no other jobs down again.
   */
  take(sharers: number): readonly Call[] {
    const share = Math.ceil(this.waiting.size / sharers);
    const taken: Call[] = [];
    let rows = 0;
    let characters = 0;
    for (const call of this.waiting.values()) {
      if (taken.length >= share) break;
      if (call.expireIfLate()) {
        this.delete(call);
        continue;
      }
      const size = sizeOf(call.job.input);
      rows += size.rows;
      characters += size.characters;
      const fits = rows <= messageLimit.rows && characters <= messageLimit.characters && call.lostThreads === 0;
      if (taken.length > 0 && !fits) break;
      taken.push(call);
      this.delete(call);
      if (!fits) break;
    }
    return taken;
  }

  takeAll(): readonly Call[] {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    return all;
  }
}

/** Number of rows in a job, and of characters of request text in them. */
function sizeOf(input: JobInput): { readonly rows: number; readonly characters: number } {
  switch (input.kind) {
    case "matrix":
      return { rows: input.matrix.rows, characters: 0 };
    case "texts":
      return { rows: input.texts.length, characters: input.texts.reduce((sum, { length }) => sum + length, 0) };
    // One row for the text, and one per candidate.
    case "request":
      return { rows: 1 + input.request.topK, characters: input.request.text.length };
    case "pairs":
      return { rows: input.documents.length, characters: input.documents.length * input.text.length };
  }
}

export interface InferencePoolOptions {
  /** Number of threads, each with its own sessions. At most one per core. */
  readonly workers: number;
  /** Maximum number of waiting and running jobs; further ones are refused. */
  readonly queueLimit: number;
  /** A thread that owes an answer and is silent for this long counts as stuck. Milliseconds; default 30,000. */
  readonly stuckAfterMs?: number;
  /** Program of the threads; by default one that runs models but no scorer. */
  readonly entry?: URL;
}

export interface LoadedScorer {
  /** @throws {SluiceError} those of `LoadedModel.run`, PATTERNS_TIMED_OUT */
  score(request: TextToScore, scope: RunScope): Promise<ScorerOutput>;
  /** Frees its memory in every thread; it cannot score afterwards. */
  release(): void;
}

const usualStuckAfterMs = 30_000;
const modelsEntry = new URL("./inference.worker.js", import.meta.url);

/**
 * Worker threads that own the ONNX sessions; the calling thread never runs a model. Jobs wait in one queue, and a
 * thread gets one message of jobs at a time, so that messages grow with the load and no job waits for a timer. A failed
 * thread is replaced, and its jobs are retried once on another thread. Threads exit only after finishing their work,
 * because ending one inside ONNX Runtime would abort the process.
 */
export class InferencePool {
  private readonly queueLimit: number;
  private readonly stuckAfterMs: number;
  private readonly slots: readonly WorkerSlot[];
  private readonly queue = new JobQueue();
  private readonly aborts = new AbortWatch();
  private readonly models = new RetainedModels();
  private readonly batchSizes: number[] = Array.from({ length: batchSizeLimits.length + 1 }, () => 0);
  private readonly counts = {
    messages: 0,
    sent: 0,
    finished: 0,
    failed: 0,
    refused: 0,
    expired: 0,
    cancelled: 0,
    late: 0,
  };
  private lastJob = 0;
  private willDispatch = false;
  private lastFailure: SluiceError | undefined;
  private closed: Promise<void> | null = null;
  private onAllEnded = (): void => undefined;

  constructor({ workers, queueLimit, stuckAfterMs = usualStuckAfterMs, entry = modelsEntry }: InferencePoolOptions) {
    this.queueLimit = queueLimit;
    this.stuckAfterMs = stuckAfterMs;
    const isNeeded = (): boolean => this.closed === null || this.queue.size > 0;
    this.slots = Array.from({ length: workers }, (_, index) => {
      const options = { number: index + 1, stuckAfterMs, entry, models: this.models.specs, isNeeded };
      return new WorkerSlot(options, this.slotEvents());
    });
    for (const slot of this.slots) slot.start();
  }

  /**
   * Builds the model in every thread. The given bytes are copied into memory that the threads share, and are retained
   * for replacement threads. The caller must not change them before the model is loaded.
   * @throws {SluiceError} MODEL_INVALID, or MODEL_RUN_FAILED if no thread is left or the pool is closed
   */
  async load(spec: ModelSpec): Promise<LoadedModel> {
    const model = await this.loaded(spec);
    return { model, run: async (input, scope) => requireRows(await this.run(model, input, scope)) };
  }

  /**
   * Builds a scorer in every thread without blocking the caller. One thread builds the index, in memory that all
   * threads share.
   * @throws {SluiceError} those of `load`, CATALOG_INVALID, INTERRUPTED
   */
  async loadScorer(spec: ScorerSpec, watch: LoadWatch = {}): Promise<LoadedScorer> {
    const model = await this.loaded(spec, watch);
    return {
      score: async (request, scope) => requireScorerOutput(await this.run(model, { kind: "request", request }, scope)),
      release: () => this.unload(model),
    };
  }

  /**
   * Refuses new work, lets accepted jobs finish or expire, releases the sessions and stops the threads. Resolves when
   * the last thread has exited, which may take as long as a running job; threads that were given up are not waited for.
   * Idempotent.
   */
  close(): Promise<void> {
    this.closed ??= new Promise((resolve) => {
      this.onAllEnded = resolve;
      this.leaveGivenUp();
      if (this.awaited().length === 0) resolve();
      this.dispatchSoon();
    });
    return this.closed;
  }

  /** Reasons why no job can run; empty as long as one thread can. */
  problems(): readonly string[] {
    const live = this.live();
    if (live.length === 0) return ["no inference thread is left"];
    if (live.some((slot) => slot.isReady && !slot.isStuck)) return [];
    return live.map(({ number, isStuck }) =>
      isStuck
        ? `inference thread ${number} has been busy without an answer for more than ${this.stuckAfterMs} ms`
        : `inference thread ${number} is loading its models`,
    );
  }

  /** Counts since the pool started, and its current state. */
  statistics(): PoolStatistics {
    return {
      ...this.counts,
      batchSizes: [...this.batchSizes],
      waiting: this.queue.size,
      underWay: this.underWay(),
      restarts: this.slots.reduce((sum, { restarts }) => sum + restarts, 0),
      workersReady: this.slots.filter(({ isReady }) => isReady).length,
    };
  }

  private async loaded(spec: ModelSpec, watch: LoadWatch = {}): Promise<number> {
    const refusal = this.refusal();
    if (refusal !== null) throw refusal;
    const shared = withSharedBytes(spec);
    const { model, loaded } = this.models.add(shared, this.live(), watch);
    await loaded;
    return model;
  }

  private unload(model: number): void {
    this.models.specs.delete(model);
    for (const slot of this.live()) slot.unload(model);
  }

  private run(model: number, input: JobInput, scope: RunScope): Promise<JobOutput> {
    const leftMs = scope.remainingMs();
    const refusal = this.refusal() ?? this.refusalOf(scope, leftMs);
    if (refusal !== null) return Promise.reject(refusal);
    this.lastJob += 1;
    const job = { id: this.lastJob, model, input };
    return new Promise((resolve, reject) => {
      const onAbandoned = (call: Call, error: SluiceError): void => {
        this.queue.delete(call);
        this.countAbandoned(error);
      };
      this.queue.add(new Call({ job, scope, leftMs, aborts: this.aborts, resolve, reject, onAbandoned }));
      this.dispatchSoon();
    });
  }

  private refusal(): SluiceError | null {
    if (this.closed !== null) return new SluiceError("MODEL_RUN_FAILED", "the inference pool is closed");
    return this.live().length === 0 ? this.noThreadIsLeft() : null;
  }

  private refusalOf(scope: RunScope, leftMs: number): SluiceError | null {
    const over = scope.signal?.aborted === true ? requestCancelled() : leftMs <= 0 ? deadlineExceeded() : null;
    if (over !== null) {
      this.countAbandoned(over);
      return over;
    }
    const accepted = this.queue.size + this.underWay();
    if (accepted < this.queueLimit) return null;
    this.counts.refused += 1;
    const message = `${accepted} runs are waiting or in progress, at most ${this.queueLimit} are allowed`;
    return new SluiceError("SERVER_OVERLOADED", message);
  }

  private countAbandoned(error: SluiceError): void {
    this.counts[error.code === "DEADLINE_EXCEEDED" ? "expired" : "cancelled"] += 1;
  }

  /** Calls made in one turn of the event loop are sent together. */
  private dispatchSoon(): void {
    if (this.willDispatch) return;
    this.willDispatch = true;
    setImmediate(() => {
      this.willDispatch = false;
      this.dispatch();
    });
  }

  private dispatch(): void {
    const free = this.slots.filter(({ isFree }) => isFree);
    for (const [index, slot] of free.entries()) {
      const calls = this.queue.take(free.length - index);
      if (calls.length > 0) {
        this.countMessage(calls.length);
        slot.run(calls);
      } else if (this.closed !== null) slot.stop();
    }
  }

  private countMessage(jobs: number): void {
    this.counts.messages += 1;
    this.counts.sent += jobs;
    const found = batchSizeLimits.findIndex((limit) => jobs <= limit);
    const bucket = found === -1 ? batchSizeLimits.length : found;
    this.batchSizes[bucket] = (this.batchSizes[bucket] ?? 0) + 1;
  }

  private slotEvents(): WorkerSlotEvents {
    return {
      onLoading: (slot, model, progress) => this.models.onLoading(slot, model, progress),
      onLoaded: (slot, model, built) => this.models.onLoaded(slot, model, built),
      onRefused: (model, error) => this.models.onRefused(model, error),
      onAnswered: (call, outcome) => this.answer(call, outcome),
      onGivenUp: () => this.giveUpOn(),
      onFree: () => this.dispatchSoon(),
      onLost: (calls, error) => this.giveToOthers(calls, error),
      onEnded: (slot, error) => this.slotEnded(slot, error),
    };
  }

  private answer(call: Call, outcome: JobOutput | SluiceError): void {
    if (outcome instanceof SluiceError) this.counts[call.reject(outcome) ? "failed" : "late"] += 1;
    else this.counts[call.resolve(outcome) ? "finished" : "late"] += 1;
  }

  /** Retries calls on other threads: a job gets a second thread, but not a third. */
  private giveToOthers(calls: readonly Call[], error: SluiceError): void {
    const awaited = calls.filter((call) => !call.expireIfLate());
    for (const call of awaited) call.lostThreads += 1;
    this.queue.putBack(awaited.filter(({ lostThreads }) => lostThreads === 1));
    for (const call of awaited) if (call.lostThreads > 1) this.answer(call, error);
    this.dispatchSoon();
  }

  /**
   * A thread inside ONNX Runtime cannot be ended, so its callers are answered with an error, and `close` does not wait
   * for it.
   */
  private giveUpOn(): void {
    const error = new SluiceError("MODEL_RUN_FAILED", `a model gave no sign for ${4 * this.stuckAfterMs} ms`, {
      hint: "The graph or the tokenizer of the model does not end. Use another model.",
    });
    const owed = this.slots.flatMap((slot) => (slot.isGivenUp ? slot.calls : []));
    for (const call of owed) if (call.reject(error)) this.counts.failed += 1;
    this.models.rejectAll(error);
    if (this.closed === null) return;
    this.leaveGivenUp();
    if (this.awaited().length === 0) this.onAllEnded();
  }

  private leaveGivenUp(): void {
    for (const slot of this.slots) if (slot.isGivenUp) slot.leave();
  }

  /** Threads that will exit when their work is done. */
  private awaited(): readonly WorkerSlot[] {
    return this.live().filter(({ isGivenUp }) => !isGivenUp);
  }

  private slotEnded(slot: WorkerSlot, error: SluiceError | null): void {
    this.lastFailure = error ?? this.lastFailure;
    if (this.live().length > 0) {
      this.models.onEnded(slot);
      if (this.closed !== null && this.awaited().length === 0) this.onAllEnded();
      return;
    }
    const left = this.noThreadIsLeft();
    for (const call of this.queue.takeAll()) this.answer(call, left);
    this.models.rejectAll(left);
    this.onAllEnded();
  }

  private noThreadIsLeft(): SluiceError {
    const cause = this.lastFailure;
    return new SluiceError("MODEL_RUN_FAILED", "no inference thread is left", { cause });
  }

  private live(): readonly WorkerSlot[] {
    return this.slots.filter(({ isLive }) => isLive);
  }

  private underWay(): number {
    return this.slots.reduce((sum, slot) => sum + slot.underWay, 0);
  }
}

function requireScorerOutput(output: JobOutput): ScorerOutput {
  if (output.kind !== "rows") return output;
  throw new SluiceError("MODEL_RUN_FAILED", "the scorer returned rows, expected scores");
}
