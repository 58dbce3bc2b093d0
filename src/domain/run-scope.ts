/** What bounds the work for one request, over every stage. */
export interface RunScope {
  /** Milliseconds left; Infinity where nothing bounds the work. */
  readonly remainingMs: () => number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal | null;
  /** true: no row of this request shares a model run with rows of another one. */
  readonly alone: boolean;
}

/** Work that nobody waits for against a clock: fits, scoring runs, warm-up. */
export const unbounded: RunScope = { remainingMs: () => Number.POSITIVE_INFINITY, signal: null, alone: true };

/** A scope that ends `totalMs` from now. @param now  monotonic milliseconds */
export function within(totalMs: number, now: () => number, signal: AbortSignal | null): RunScope {
  const end = now() + totalMs;
  return { remainingMs: () => end - now(), signal, alone: false };
}
