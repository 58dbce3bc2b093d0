import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";

const resolutionMs = 10;
const windowMs = 500;

/**
 * Delay of the event loop: its 99th percentile over the last half second. If it is high, every response is late,
 * including those to health probes.
 */
export class EventLoopDelay {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #timer: NodeJS.Timeout;
  #seconds = 0;

  constructor() {
    this.#histogram.enable();
    this.#timer = setInterval(() => this.#endWindow(), windowMs);
    this.#timer.unref();
  }

  /** The delay in seconds, minus the resolution of the timer. */
  seconds(): number {
    return this.#seconds;
  }

  /** Resets the measurement, for example after loading the first bundle. */
  reset(): void {
    this.#histogram.reset();
    this.#seconds = 0;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }

  #endWindow(): void {
    const p99Ms = this.#histogram.percentile(99) / 1e6;
    this.#seconds = Math.max(0, p99Ms - resolutionMs) / 1000;
    this.#histogram.reset();
  }
}
