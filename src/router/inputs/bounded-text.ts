import { SluiceError } from "../../base/error.js";

/**
 * Returns the time left for the work on one request in milliseconds; negative when overspent, Infinity without a limit.
 */
export interface TimeLeft {
  readonly remainingMs: () => number;
}

/**
 * Number of characters read between two clock checks: takes a few microseconds with an ordinary pattern, 1-2 ms with
 * the worst.
 */
const readsBetweenChecks = 16;

/**
 * A text that aborts a search once the time is up. The pattern engine reads texts only through `charCodeAt`, at least
 * once per step, so this bounds every pattern on every text. The engine has no incomplete state between two reads.
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
