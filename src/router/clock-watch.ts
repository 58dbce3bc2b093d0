export interface ClockWatchOptions {
  readonly clock: () => Date;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** How far the wall clock may lag behind the monotonic one, in milliseconds. */
  readonly toleranceMs: number;
}

/**
 * Detects that the wall clock was set back while the process was running, which would postpone expiry dates. Since the
 * start, the wall clock must have advanced as far as the monotonic clock, within the tolerance.
 */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  readonly #offsetMs: number;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    this.#offsetMs = options.clock().getTime() - options.now();
  }

  /** Why expiry dates cannot be checked; empty as soon as the clock is right again. */
  problems(): readonly string[] {
    const { clock, now, toleranceMs } = this.#options;
    const behindMs = this.#offsetMs + now() - clock().getTime();
    if (behindMs <= toleranceMs) return [];
    return [`the clock was set back by about ${Math.round(behindMs / 1000)} s (CLOCK_ROLLBACK)`];
  }
}
