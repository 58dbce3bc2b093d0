import type { RunScope } from "../domain/run-scope.js";

/** Longest delay of a Node timer, in milliseconds; longer ones fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits for a promise that never rejects; false when the scope ended first. */
export async function endsWithin(something: Promise<void>, { remainingMs, signal }: RunScope): Promise<boolean> {
  const leftMs = remainingMs();
  if (leftMs <= 0 || signal?.aborted === true) return false;
  return new Promise((resolve) => {
    const give = (answer: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(answer);
    };
    const onAbort = (): void => give(false);
    const timer = setTimeout(onAbort, Math.min(leftMs, longestTimerMs));
    signal?.addEventListener("abort", onAbort, { once: true });
    void something.then(() => give(true));
  });
}
