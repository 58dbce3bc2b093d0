/** When a step writes full lines. */
export type ProgressMarks = "quarters" | "end";

/** Receives the progress of long steps, one at a time. */
export interface StepProgress {
  /**
   * Starts a step of `total` units; ends the previous step.
   * @param marks  if only whole lines can be written: one at each quarter (the default), or one at the end
   */
  start(label: string, total: number, marks?: ProgressMarks): void;
  /** Reports that `finished` units are done; must not decrease. */
  update(finished: number): void;
  /** Ends the step. Does nothing if none was started. */
  done(): void;
}

/** A listener that starts a step at the first report of progress, and again whenever the count restarts. */
export function stepOf(progress: StepProgress, label: string): (done: number, total: number) => void {
  let last = Number.POSITIVE_INFINITY;
  return (done, total) => {
    if (done < last) progress.start(label, total);
    last = done;
    progress.update(done);
  };
}

/** For parts of a longer step that reports its own progress. */
export const silentProgress: StepProgress = {
  start: () => undefined,
  update: () => undefined,
  done: () => undefined,
};
