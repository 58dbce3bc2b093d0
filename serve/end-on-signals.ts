import type { Shutdown } from "./shutdown.js";

/** The part of `process` that delivers signals. */
export interface SignalSource {
  on(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
}

/** Shuts the server down at the first SIGTERM or SIGINT, and immediately at the second; resolves when it has ended. */
export async function endOnSignals(signals: SignalSource, shutdown: Shutdown): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let asked = false;
    const onSignal = (): void => {
      if (asked) {
        shutdown.hurry();
        return;
      }
      asked = true;
      shutdown
        .begin()
        .finally(() => {
          signals.off("SIGTERM", onSignal);
          signals.off("SIGINT", onSignal);
        })
        .then(resolve, reject);
    };
    signals.on("SIGTERM", onSignal);
    signals.on("SIGINT", onSignal);
  });
}
