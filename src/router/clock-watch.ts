export interface ClockWatchOptions {
  /** Wall clock. */
  readonly clock: () => Date;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** How far the wall clock may fall behind the monotonic one. */
  readonly toleranceMs: number;
}

/**
 * Notices a wall clock that was moved back while the process runs: end dates would come later than they were signed.
 * The wall clock must have gone on from the start by as much as the monotonic clock, within the tolerance.
 */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  readonly #offsetMs: number;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    this.#offsetMs = options.clock().getTime() - options.now();
  }

  /** Why end dates cannot be compared now; empty as soon as the clock is right again. */
  problems(): readonly string[] {
    const { clock, now, toleranceMs } = this.#options;
    const behindMs = this.#offsetMs + now() - clock().getTime();
    if (behindMs <= toleranceMs) return [];
    return [`the clock was set back by about ${Math.round(behindMs / 1000)} s (CLOCK_ROLLBACK)`];
  }
}
