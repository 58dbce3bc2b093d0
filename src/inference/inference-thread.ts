import { Worker } from "node:worker_threads";
import type { SluiceError } from "../base/error.js";
import { fromPlainError } from "../base/transport.js";
import type { Call } from "./call.js";
import { leaveThread } from "./left-threads.js";
import { switchOffUsageReports } from "./no-usage-reports.js";
import type { BuiltIndex, JobAnswer, FromWorker, JobOutput, LoadProgress, ModelSpec, ToWorker } from "./protocol.js";

export interface ThreadEvents {
  readonly onLoading: (model: number, progress: LoadProgress) => void;
  readonly onLoaded: (model: number, error: SluiceError | null, built: BuiltIndex | null) => void;
  readonly onAnswered: (call: Call, outcome: JobOutput | SluiceError) => void;
  /** Called when the thread has been silent for so long that it may never answer. */
  readonly onGivenUp: () => void;
  /** Called when everything sent so far has been answered. */
  readonly onIdle: () => void;
  /** Called when the thread has exited, with its unanswered calls; `cause` is what it threw, or undefined. */
  readonly onExit: (unanswered: readonly Call[], cause: unknown) => void;
}

export interface ThreadOptions {
  /** Name shown by debuggers and process listings. */
  readonly name: string;
  /**
   * A thread that owes an answer and is silent for this long counts as stuck; after four times as long it is given up.
   * Milliseconds.
   */
  readonly stuckAfterMs: number;
  readonly entry: URL;
}

/**
 * One worker thread and its unanswered jobs. It is never terminated, because ending a thread inside ONNX Runtime aborts
 * the process.
 */
export class InferenceThread {
  private readonly worker: Worker;
  private readonly options: ThreadOptions;
  private readonly events: ThreadEvents;
  private readonly calls = new Map<number, Call>();
  private readonly known = new Set<number>();
  private readonly loading = new Set<number>();
  private watchdog: NodeJS.Timeout | undefined;
  private failure: unknown;
  private isStopping = false;
  private silent = false;
  private givenUp = false;

  /** @throws {Error} if the system cannot start another thread */
  constructor(options: ThreadOptions, events: ThreadEvents) {
    this.options = options;
    this.events = events;
    switchOffUsageReports();
    this.worker = new Worker(options.entry, { name: options.name });
    this.worker.on("message", (message: FromWorker) => this.receive(message));
    this.worker.on("error", (error: unknown) => {
      this.failure = error;
    });
    // Answers that the thread sent before it exited have been received by this point.
    this.worker.on("exit", () => {
      clearTimeout(this.watchdog);
      this.events.onExit([...this.calls.values()], this.failure);
    });
  }

  get underWay(): number {
    return this.calls.size;
  }

  get unanswered(): readonly Call[] {
    return [...this.calls.values()];
  }

  /** Whether the thread has loaded every model and accepts messages; it may be busy. */
  get isReady(): boolean {
    return !this.isStopping && this.loading.size === 0;
  }

  get isIdle(): boolean {
    return this.isReady && this.calls.size === 0;
  }

  /** Whether the thread has been silent for too long; false again once it answers. */
  get isStuck(): boolean {
    return this.silent;
  }

  /** Whether the thread has been silent for so long that nobody waits for its answers; false again once it answers. */
  get isGivenUp(): boolean {
    return this.givenUp;
  }

  /** Loads a model; does nothing if the thread was already told to. */
  load(model: number, spec: ModelSpec): void {
    if (this.known.has(model)) return;
    this.known.add(model);
    this.loading.add(model);
    this.send({ kind: "load", model, spec });
  }

  unload(model: number): void {
    if (!this.isStopping) this.send({ kind: "unload", model });
  }

  /** Rejects the load in progress. */
  giveUp(model: number): void {
    if (this.loading.has(model)) this.send({ kind: "give_up", model });
  }

  run(calls: readonly Call[]): void {
    for (const call of calls) this.calls.set(call.job.id, call);
    this.send({ kind: "run", jobs: calls.map(({ job }) => job) });
  }

  /** Lets the thread finish its jobs, release its sessions and exit. */
  stop(): void {
    this.isStopping = true;
    this.send({ kind: "stop" });
  }

  /** Lets the process exit while the thread is still running. */
  leave(): void {
    leaveThread(this.worker);
  }

  private send(message: ToWorker): void {
    this.worker.postMessage(message);
    this.watch();
  }

  private watch(): void {
    clearTimeout(this.watchdog);
    this.silent = false;
    if (this.calls.size === 0 && this.loading.size === 0) return;
    const { stuckAfterMs } = this.options;
    this.watchdog = setTimeout(() => {
      this.silent = true;
      this.watchdog = setTimeout(() => this.giveThreadUp(), 3 * stuckAfterMs);
    }, stuckAfterMs);
  }

  private giveThreadUp(): void {
    this.givenUp = true;
    this.events.onGivenUp();
  }

  private receive(message: FromWorker): void {
    switch (message.kind) {
      case "loading":
        if (message.progress !== null) this.events.onLoading(message.model, message.progress);
        break;
      case "loaded":
        this.loading.delete(message.model);
        this.events.onLoaded(
          message.model,
          message.error === null ? null : fromPlainError(message.error),
          message.built,
        );
        break;
      case "answered":
        for (const answer of message.answers) this.answer(answer);
        break;
    }
    this.givenUp = false;
    this.watch();
    if (this.isIdle) this.events.onIdle();
  }

  private answer(answer: JobAnswer): void {
    const call = this.calls.get(answer.id);
    if (call === undefined) return;
    this.calls.delete(answer.id);
    this.events.onAnswered(call, "error" in answer ? fromPlainError(answer.error) : answer.output);
  }
}
