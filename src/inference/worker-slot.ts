import { SluiceError } from "../base/error.js";
import type { Call } from "./call.js";
import { InferenceThread } from "./inference-thread.js";
import type { BuiltIndex, JobOutput, LoadProgress, ModelSpec } from "./protocol.js";

/** Maximum number of consecutive thread failures of a member without a finished job in between. */
const failuresInRowLimit = 5;

export interface WorkerSlotEvents {
  readonly onLoading: (slot: WorkerSlot, model: number, progress: LoadProgress) => void;
  readonly onLoaded: (slot: WorkerSlot, model: number, built: BuiltIndex | null) => void;
  /**
   * Returns true if the refusal was handled; false if the model is in use, so that the thread cannot work without it.
   */
  readonly onRefused: (model: number, error: SluiceError) => boolean;
  readonly onAnswered: (call: Call, outcome: JobOutput | SluiceError) => void;
  /** Called when the member's thread has been silent for so long that nothing waits for it any longer. */
  readonly onGivenUp: () => void;
  /** Called when the member may accept a message. */
  readonly onFree: () => void;
  /** Called when a thread failed and left these calls unanswered. */
  readonly onLost: (calls: readonly Call[], error: SluiceError) => void;
  /** Called when the thread has exited and is not replaced; the error is null if it was asked to exit. */
  readonly onEnded: (slot: WorkerSlot, error: SluiceError | null) => void;
}

export interface WorkerSlotOptions {
  /** Number of the member, starting at 1. */
  readonly number: number;
  readonly stuckAfterMs: number;
  readonly entry: URL;
  /** Every model that a new thread needs before it accepts work. */
  readonly models: ReadonlyMap<number, ModelSpec>;
  /** Returns false if there is nothing left to do, so that a failed thread is not replaced. */
  readonly isNeeded: () => boolean;
}

/** A member of the pool: one thread at a time, replaced if it fails. */
export class WorkerSlot {
  readonly number: number;
  /** Number of threads started to replace failed ones. */
  restarts = 0;
  private readonly options: WorkerSlotOptions;
  private readonly events: WorkerSlotEvents;
  private thread: InferenceThread | null = null;
  private refusal: SluiceError | undefined;
  private failuresInRow = 0;
  private isStopping = false;
  private hasEnded = false;

  constructor(options: WorkerSlotOptions, events: WorkerSlotEvents) {
    this.number = options.number;
    this.options = options;
    this.events = events;
  }

  /** false if it will never accept work again. */
  get isLive(): boolean {
    return !this.hasEnded;
  }

  /** Whether its thread has loaded every model; the thread may be busy. */
  get isReady(): boolean {
    return this.thread?.isReady ?? false;
  }

  get isFree(): boolean {
    return this.thread?.isIdle ?? false;
  }

  get isStuck(): boolean {
    return this.thread?.isStuck ?? false;
  }

  get isGivenUp(): boolean {
    return this.thread?.isGivenUp ?? false;
  }

  /** Calls that the thread has not answered yet. */
  get calls(): readonly Call[] {
    return this.thread?.unanswered ?? [];
  }

  /** Number of jobs in the thread, including abandoned ones. */
  get underWay(): number {
    return this.thread?.underWay ?? 0;
  }

  start(): void {
    this.refusal = undefined;
    try {
      this.thread = this.newThread();
    } catch (cause) {
      return this.fail([], cause);
    }
    for (const [model, spec] of this.options.models) this.thread.load(model, spec);
    if (this.thread.isIdle) this.events.onFree();
  }

  load(model: number, spec: ModelSpec): void {
    this.thread?.load(model, spec);
  }

  unload(model: number): void {
    this.thread?.unload(model);
  }

  giveUp(model: number): void {
    this.thread?.giveUp(model);
  }

  run(calls: readonly Call[]): void {
    this.thread?.run(calls);
  }

  /** Stops the thread as soon as it has finished its jobs. */
  stop(): void {
    this.isStopping = true;
    this.thread?.stop();
  }

  /** Lets the process exit while the thread is still running. */
  leave(): void {
    this.thread?.leave();
  }

  private newThread(): InferenceThread {
    const { number, stuckAfterMs, entry } = this.options;
    return new InferenceThread(
      { name: `inference-${number}`, stuckAfterMs, entry },
      {
        onLoading: (model, progress) => this.events.onLoading(this, model, progress),
        onLoaded: (model, error, built) => this.loaded(model, error, built),
        onAnswered: (call, outcome) => {
          this.failuresInRow = 0;
          this.events.onAnswered(call, outcome);
        },
        onGivenUp: this.events.onGivenUp,
        onIdle: this.events.onFree,
        onExit: (unanswered, cause) => {
          this.thread = null;
          if (this.isStopping) this.end(null);
          else this.fail(unanswered, cause ?? this.refusal);
        },
      },
    );
  }

  private loaded(model: number, error: SluiceError | null, built: BuiltIndex | null): void {
    if (error === null) return this.events.onLoaded(this, model, built);
    if (this.events.onRefused(model, error)) return;
    this.refusal = error;
    this.thread?.stop();
  }

  private fail(unanswered: readonly Call[], cause: unknown): void {
    this.failuresInRow += 1;
    const error = new SluiceError("MODEL_RUN_FAILED", `inference thread ${this.number} failed`, { cause });
    this.events.onLost(unanswered, error);
    if (this.failuresInRow >= failuresInRowLimit || !this.options.isNeeded()) return this.end(error);
    this.restarts += 1;
    this.start();
  }

  private end(error: SluiceError | null): void {
    this.hasEnded = true;
    this.events.onEnded(this, error);
  }
}
