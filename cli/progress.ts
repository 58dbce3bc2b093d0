import type { ProgressMarks, StepProgress } from "../store/step-progress.js";

/** `line`: one line, updated in place. `milestones`: whole lines, at each quarter or at the end of a step. */
export type ProgressStyle = "line" | "milestones" | "off";

export interface ProgressOptions {
  readonly style: ProgressStyle;
  readonly write: (text: string) => void;
  /** Current time in milliseconds. */
  readonly clock: () => number;
  /** Width of the terminal in characters; null: unknown. */
  readonly columns: number | null;
}

interface Step {
  readonly label: string;
  readonly total: number;
  readonly startedMs: number;
  readonly marks: ProgressMarks;
  finished: number;
  shownMs: number;
  quarters: number;
}

const smallestIntervalMs = 100;
const barWidth = 20;

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

const shareOf = (step: Step): number => (step.total === 0 ? 1 : Math.min(1, step.finished / step.total));

/**
 * The line of a step. In a narrow terminal the bar is left out, then the remaining time, so that it fits on one line.
 */
function bar(step: Step, nowMs: number, columns: number | null): string {
  const share = shareOf(step);
  const filled = Math.round(share * barWidth);
  const secondsLeft = share === 0 ? null : Math.ceil(((nowMs - step.startedMs) / 1000) * (1 / share - 1));
  const left = secondsLeft === null || share === 1 ? "" : `  ~${secondsLeft} s left`;
  const blocks = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`;
  const counted = `${grouped(step.finished)}/${grouped(step.total)}`;
  const lines = [
    `${step.label}  ${blocks}  ${counted}${left}`,
    `${step.label}  ${counted}${left}`,
    `${step.label}  ${counted}`,
  ];
  return lines.find((line) => line.length < (columns ?? Number.POSITIVE_INFINITY)) ?? counted;
}

/** Creates a progress display that uses `write`. The style `line` is updated at most ten times per second. */
export function createProgress({ style, write, clock, columns }: ProgressOptions): StepProgress {
  let step: Step | null = null;

  const drawLine = (current: Step, nowMs: number): void => {
    current.shownMs = nowMs;
    write(`\r${bar(current, nowMs, columns)}\u001b[K`);
  };
  const drawMilestones = (current: Step): void => {
    const quarters = Math.floor(shareOf(current) * 4);
    if (quarters <= current.quarters) return;
    current.quarters = quarters;
    if (current.marks === "end" && quarters < 4) return;
    write(`${current.label}: ${quarters * 25}% (${grouped(current.finished)}/${grouped(current.total)})\n`);
  };
  const done = (): void => {
    if (step === null) return;
    if (style === "line") {
      drawLine(step, clock());
      write("\n");
    }
    step = null;
  };

  return {
    start(label, total, marks = "quarters") {
      done();
      if (style === "off") return;
      const now = clock();
      step = { label, total, startedMs: now, marks, finished: 0, shownMs: now, quarters: 0 };
      if (style === "line") drawLine(step, now);
    },
    update(finished) {
      if (step === null) return;
      step.finished = finished;
      if (style === "milestones") return drawMilestones(step);
      const now = clock();
      if (now - step.shownMs >= smallestIntervalMs) drawLine(step, now);
    },
    done,
  };
}
