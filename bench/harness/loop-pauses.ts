import { readFileSync } from "node:fs";

/** Pauses of an event loop since the last measurement, in milliseconds. */
export interface Pauses {
  readonly p99Ms: number;
  readonly longestMs: number;
  /** The 99th percentile without the time in which the thread was ready but had no core. */
  readonly ownP99Ms: number;
  readonly ownLongestMs: number;
}

const everyMs = 2;

/**
 * Measures how late a timer of this thread fires. On a busy machine most of the delay is waiting for a core, which only
 * Linux reports per thread; on other systems both figures are equal.
 */
export class LoopPauses {
  private readonly timer: NodeJS.Timeout;
  private pauses: { readonly ms: number; readonly ownMs: number }[] = [];
  private last = performance.now();
  private lastWait = waitedMs();

  constructor() {
    this.timer = setInterval(() => this.note(), everyMs);
    this.timer.unref();
  }

  /** Pauses since the last call. */
  take(): Pauses {
    this.note();
    const of = (value: "ms" | "ownMs"): readonly number[] => this.pauses.map((p) => p[value]).sort((a, b) => a - b);
    const [all, own] = [of("ms"), of("ownMs")];
    this.pauses = [];
    const p99 = (sorted: readonly number[]): number => sorted[Math.floor(0.99 * sorted.length)] ?? 0;
    return { p99Ms: p99(all), longestMs: all.at(-1) ?? 0, ownP99Ms: p99(own), ownLongestMs: own.at(-1) ?? 0 };
  }

  private note(): void {
    const [now, wait] = [performance.now(), waitedMs()];
    const ms = Math.max(0, now - this.last - everyMs);
    this.pauses.push({ ms, ownMs: Math.max(0, ms - (wait - this.lastWait)) });
    [this.last, this.lastWait] = [now, wait];
  }
}

/** Total time in milliseconds that the main thread has waited for a core; 0 if the system does not report it. */
function waitedMs(): number {
  try {
    const [, waited = "0"] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}
