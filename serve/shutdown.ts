import type { FastifyInstance } from "fastify";
import type { RouterRuntime } from "../src/router/runtime.js";

export interface ShutdownOptions {
  readonly app: FastifyInstance;
  readonly runtime: RouterRuntime;
  /** Milliseconds between readiness false and the end of listening, so that a load balancer can notice. */
  readonly pauseMs: number;
  /** Milliseconds after which open connections are closed. */
  readonly drainLimitMs: number;
  /** Stops everything that could replace the bundle; awaited before the routers are closed. */
  readonly stopReplacing?: () => Promise<void>;
  /** Ended after the routers, in this order. */
  readonly closeLast?: readonly (() => Promise<void>)[];
}

export interface Shutdown {
  /** Ends the server once; every call returns the same promise. */
  begin(): Promise<void>;
  /** Ends the pause and closes open connections at once. Without effect before `begin`. */
  hurry(): void;
}

/** Interval between checks for connections that became idle after the server stopped listening. */
const idleCheckMs = 100;

/**
 * Graceful end of a server: readiness false, pause, no new connections, answers in flight, then the routers, then
 * their observers. It never exits the process, because exiting while a model runs would abort it.
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
