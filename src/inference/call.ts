import type { RunScope } from "../documents/run-scope.js";
import { SluiceError } from "../base/error.js";
import type { Job, JobOutput } from "./protocol.js";

/** Maximum delay of a Node timer in milliseconds; a timer with a longer delay fires immediately. */
const longestTimerMs = 2 ** 31 - 1;

export interface CallOptions {
  readonly job: Job;
  readonly scope: RunScope;
  /** Milliseconds until the deadline, above 0; Infinity for none. */
  readonly leftMs: number;
  /** Shared by all calls of a pool. */
  readonly aborts: AbortWatch;
  readonly resolve: (output: JobOutput) => void;
  readonly reject: (error: SluiceError) => void;
  /** Called when the caller was answered before the job ended, with DEADLINE_EXCEEDED or REQUEST_CANCELLED. */
  readonly onAbandoned: (call: Call, error: SluiceError) => void;
}

/**
 * One job and the caller waiting for it. The caller is answered exactly once: by the result, the deadline or the
 * signal.
 */
export class Call {
  /** Number of threads that ended while running this job. */
  lostThreads = 0;
  private readonly options: CallOptions;
  private readonly onAbort = (): void => this.abandon(requestCancelled());
  private timer: NodeJS.Timeout | undefined;
  private isSettled = false;

  /** Starts to watch the deadline and the signal of the scope; neither may have ended yet. */
  constructor(options: CallOptions) {
    this.options = options;
    const { scope, aborts, leftMs } = options;
    if (scope.signal !== null) aborts.add(scope.signal, this.onAbort);
    this.expireIn(leftMs);
  }

  get job(): Job {
    return this.options.job;
  }

  /** Answers the caller with the result; false if the caller was already answered. */
  resolve(output: JobOutput): boolean {
    if (!this.settle()) return false;
    this.options.resolve(output);
    return true;
  }

  /** Answers the caller with an error; false if the caller was already answered. */
  reject(error: SluiceError): boolean {
    if (!this.settle()) return false;
    this.options.reject(error);
    return true;
  }

  /** Answers the caller if the deadline has passed, even if the timer is late; true if the job is abandoned. */
  expireIfLate(): boolean {
    if (this.options.scope.remainingMs() <= 0) this.abandon(deadlineExceeded());
    return this.isSettled;
  }

  private expireIn(leftMs: number): void {
    if (leftMs === Number.POSITIVE_INFINITY) return;
    const delay = Math.min(Math.ceil(leftMs), longestTimerMs);
    this.timer = setTimeout(() => {
      if (leftMs > delay) this.expireIn(leftMs - delay);
      else this.abandon(deadlineExceeded());
    }, delay);
  }

  private abandon(error: SluiceError): void {
    if (this.reject(error)) this.options.onAbandoned(this, error);
  }

  private settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    clearTimeout(this.timer);
    const { scope, aborts } = this.options;
    if (scope.signal !== null) aborts.remove(scope.signal, this.onAbort);
    return true;
  }
}

export const deadlineExceeded = (): SluiceError =>
  new SluiceError("DEADLINE_EXCEEDED", "no model output before the deadline of the request");

export const requestCancelled = (): SluiceError =>
  new SluiceError("REQUEST_CANCELLED", "the request was cancelled before the model output was ready");

/**
 * Notifies many waiters of an abort through one listener per signal. With one listener per waiter, removal would take
 * linear time and Node would warn of a leak.
 */
export class AbortWatch {
  private readonly signals = new Map<AbortSignal, { readonly waiters: Set<() => void>; readonly stop: () => void }>();

  /** Calls `onAbort` when the signal is aborted, unless `remove` is called first. */
  add(signal: AbortSignal, onAbort: () => void): void {
    const watched = this.signals.get(signal) ?? this.watch(signal);
    watched.waiters.add(onAbort);
  }

  remove(signal: AbortSignal, onAbort: () => void): void {
    const watched = this.signals.get(signal);
    watched?.waiters.delete(onAbort);
    if (watched?.waiters.size !== 0) return;
    watched.stop();
    this.signals.delete(signal);
  }

  private watch(signal: AbortSignal) {
    const waiters = new Set<() => void>();
    const tellAll = (): void => {
      for (const onAbort of waiters) onAbort();
    };
    signal.addEventListener("abort", tellAll);
    const watched = { waiters, stop: () => signal.removeEventListener("abort", tellAll) };
    this.signals.set(signal, watched);
    return watched;
  }
}
