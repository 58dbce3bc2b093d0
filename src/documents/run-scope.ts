/** Clocks for measuring the work on a request, in milliseconds. */
export interface WorkClocks {
  /** Monotonic. */
  readonly now: () => number;
  /** CPU time used by the process so far; `now` is used if it is not measured. */
  readonly workedMs?: (() => number) | undefined;
}

/** Limits on the work for one request, across all stages. */
export interface RunScope {
  /** Milliseconds left; Infinity without a limit. */
  readonly remainingMs: () => number;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal | null;
  /** null without a limit. */
  readonly clocks: WorkClocks | null;
}

/** Work without a deadline: fits, scoring runs, warm-up. */
export const unbounded: RunScope = {
  remainingMs: () => Number.POSITIVE_INFINITY,
  signal: null,
  clocks: null,
};

/** Creates a scope whose deadline is in `totalMs`. */
export function within(totalMs: number, clocks: WorkClocks, signal: AbortSignal | null): RunScope {
  const end = clocks.now() + totalMs;
  return { remainingMs: () => end - clocks.now(), signal, clocks };
}
