/** The clock of the client; tests pass another one. */
export interface ClientClock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Resolves after this time, or as soon as the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: ClientClock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener("abort", end);
    }),
};
