import type { ClientClock } from "./clock.js";
import { NoAnswer } from "./no-answer.js";

/** Deadline and cancellation of one call. */
export interface Deadline {
  /** Aborted at the deadline or by the caller. */
  readonly signal: AbortSignal;
  leftMs(): number;
}

export interface DeadlineOptions {
  readonly timeoutMs: number;
  /** The caller's own signal. */
  readonly signal: AbortSignal | undefined;
  readonly clock: ClientClock;
}

/**
 * Runs `work` until the deadline, even when it ignores the signal.
 * @throws {NoAnswer} timeout, cancelled; otherwise what `work` throws
 */
export async function withDeadline<T>(options: DeadlineOptions, work: (deadline: Deadline) => Promise<T>): Promise<T> {
  const { timeoutMs, signal: outer, clock } = options;
  if (outer?.aborted === true) throw cancelled();
  const inner = new AbortController();
  const end = clock.now() + timeoutMs;
  let leave: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    const stop = (error: NoAnswer): void => {
      reject(error);
      inner.abort();
    };
    leave = () => stop(cancelled());
    outer?.addEventListener("abort", leave);
    void clock.wait(timeoutMs, inner.signal).then(() => stop(timedOut(timeoutMs)));
  });
  // The outcome that comes second is ignored.
  ended.catch(() => undefined);
  const done = work({ signal: inner.signal, leftMs: () => end - clock.now() });
  done.catch(() => undefined);
  try {
    return await Promise.race([ended, done]);
  } finally {
    outer?.removeEventListener("abort", leave);
    inner.abort();
  }
}

function cancelled(): NoAnswer {
  return new NoAnswer("cancelled", "the caller cancelled the request");
}

function timedOut(timeoutMs: number): NoAnswer {
  return new NoAnswer("timeout", `no answer within ${timeoutMs} ms`);
}
