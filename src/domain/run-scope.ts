/** How the work of a request is measured, in milliseconds. */
export interface WorkClocks {
  /** Monotonic. */
  readonly now: () => number;
  /** Processor time that the process has used so far; `now` where it is not measured. */
  readonly workedMs?: (() => number) | undefined;
}

/** What bounds the work for one request, over every stage. */
export interface RunScope {
  /** Milliseconds left; Infinity where nothing bounds the work. */
  readonly remainingMs: () => number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal | null;
  /** true: no row of this request shares a model run with rows of another one. */
  readonly alone: boolean;
  /** null where nothing bounds the work. */
  readonly clocks: WorkClocks | null;
}

/** Work that nobody waits for against a clock: fits, scoring runs, warm-up. */
export const unbounded: RunScope = {
  remainingMs: () => Number.POSITIVE_INFINITY,
  signal: null,
  alone: true,
  clocks: null,
};

/** A scope that ends `totalMs` from now. */
export function within(totalMs: number, clocks: WorkClocks, signal: AbortSignal | null): RunScope {
  const end = clocks.now() + totalMs;
  return { remainingMs: () => end - clocks.now(), signal, alone: false, clocks };
}
