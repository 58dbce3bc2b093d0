import type { FastifyInstance } from "fastify";
import type { RouterRuntime } from "../src/router/runtime.js";

export interface ShutdownOptions {
  readonly app: FastifyInstance;
  readonly runtime: RouterRuntime;
  /**
   * Pause in milliseconds between turning readiness off and closing the listener, so that a load balancer can notice.
   */
  readonly pauseMs: number;
  /** Time in milliseconds after which open connections are closed. */
  readonly drainLimitMs: number;
  /** Stops everything that could replace the bundle; awaited before the routers are closed. */
  readonly stopReplacing?: () => Promise<void>;
  /** Called in this order after the routers are closed. */
  readonly closeLast?: readonly (() => Promise<void>)[];
}

export interface Shutdown {
  /** Starts the shutdown; every call returns the same promise. */
  begin(): Promise<void>;
  /** Skips the pause and closes open connections immediately. Has no effect before `begin`. */
  hurry(): void;
}

/** Interval in milliseconds between checks for connections that became idle after the listener closed. */
const idleCheckMs = 100;

/**
 * Shuts a server down gracefully: turns readiness off, pauses, closes the listener, finishes the responses in flight,
 * then closes the routers and their observers. It never exits the process, because that would abort a running model.
 */
export function createShutdown(options: ShutdownOptions): Shutdown {
  const hurry = new AbortController();
  let ended: Promise<void> | null = null;
  return {
    begin() {
      ended ??= end(options, hurry.signal);
      return ended;
    },
    hurry() {
      if (ended !== null) hurry.abort();
    },
  };
}

async function end(options: ShutdownOptions, hurry: AbortSignal): Promise<void> {
  const { app, runtime } = options;
  app.drainState.draining = true;
  await pause(options.pauseMs, hurry);
  const cut = (): void => app.server.closeAllConnections();
  const idleCheck = setInterval(() => app.server.closeIdleConnections(), idleCheckMs);
  const limit = setTimeout(cut, options.drainLimitMs);
  hurry.addEventListener("abort", cut);
  if (hurry.aborted) cut();
  try {
    await app.close();
  } finally {
    clearInterval(idleCheck);
    clearTimeout(limit);
    hurry.removeEventListener("abort", cut);
    await options.stopReplacing?.();
    await runtime.close();
    for (const close of options.closeLast ?? []) await close();
  }
}

async function pause(milliseconds: number, hurry: AbortSignal): Promise<void> {
  if (milliseconds === 0 || hurry.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    hurry.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The part of `process` that delivers signals. */
interface SignalSource {
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
