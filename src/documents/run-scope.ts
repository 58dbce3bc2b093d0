/** How the work of a request is measured, in milliseconds. */
export interface WorkClocks {
  /** Monotonic. */
  readonly now: () => number;
  /** Processor time that the process has used so far; `now` where it is not measured. */
  readonly workedMs?: (() => number) | undefined;
}

/** Bounds on the work for one request, over all stages. */
export interface RunScope {
  /** Milliseconds left; Infinity where nothing bounds the work. */
  readonly remainingMs: () => number;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal | null;
  /** null where nothing bounds the work. */
  readonly clocks: WorkClocks | null;
}

/** Work without a deadline: fits, scoring runs, warm-up. */
export const unbounded: RunScope = {
  remainingMs: () => Number.POSITIVE_INFINITY,
  signal: null,
  clocks: null,
};

/** A scope with a deadline `totalMs` from now. */
export function within(totalMs: number, clocks: WorkClocks, signal: AbortSignal | null): RunScope {
  const end = clocks.now() + totalMs;
  return { remainingMs: () => end - clocks.now(), signal, clocks };
}
