import { SluiceError } from "../../base/error.js";

/** Time left for the work on one request, in milliseconds; negative when overspent, Infinity where nothing bounds it. */
export interface TimeLeft {
  readonly remainingMs: () => number;
}

/** Characters read between two clock checks: some microseconds of an ordinary pattern, 1-2 ms of the worst. */
const readsBetweenChecks = 16;

/**
 * A text that aborts the search that reads it once the time is over. The pattern engine reads a text through
 * `charCodeAt` only, some reads for each step forward, so this bounds every pattern on every text; the engine keeps
 * no half-made state between two reads.
 */
export class BoundedText extends String {
  private readonly plain: string;
  private readonly timeLeft: TimeLeft;
  private reads = 0;

  constructor(text: string, timeLeft: TimeLeft) {
    super(text);
    this.plain = text;
    this.timeLeft = timeLeft;
  }

  /** @throws {SluiceError} PATTERNS_TIMED_OUT */
  override charCodeAt(index: number): number {
    this.reads += 1;
    if (this.reads % readsBetweenChecks === 0) requireTime(this.timeLeft);
    return this.plain.charCodeAt(index);
  }
}

/** @throws {SluiceError} PATTERNS_TIMED_OUT */
export function requireTime(timeLeft: TimeLeft): void {
  if (timeLeft.remainingMs() > 0) return;
  throw new SluiceError("PATTERNS_TIMED_OUT", "the time limit for input patterns was exceeded");
}
