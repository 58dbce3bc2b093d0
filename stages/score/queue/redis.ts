import type { Job, Queue, Worker, WaitingError } from "bullmq";
import type { Redis } from "ioredis";
import { SluiceError, toSluiceError } from "../../../src/base/error.js";
import type { QueueAddress } from "../../../store/project/queue-settings.js";

/** The used parts of BullMQ and ioredis. */
export interface QueuePackages {
  readonly Queue: typeof Queue;
  readonly Worker: typeof Worker;
  readonly WaitingError: typeof WaitingError;
  readonly Redis: typeof Redis;
}
export type { Job, Queue, Redis, Worker };

/** Name of the only queue of a prefix. */
export const queueName = "eval";

/**
 * Loads the packages of the queue. They are optional because neither a server nor a single machine needs them.
 * @throws {SluiceError} PACKAGE_MISSING
 */
export async function queuePackages(): Promise<QueuePackages> {
  try {
    const { Queue, Worker, WaitingError } = await import("bullmq");
    const { Redis } = await import("ioredis");
    return { Queue, Worker, WaitingError, Redis };
  } catch (cause) {
    throw new SluiceError("PACKAGE_MISSING", "the queue needs the optional packages bullmq and ioredis", {
      hint: "Run: npm install bullmq ioredis",
      cause,
    });
  }
}

const longestPauseMs = 2000;
const connectTimeoutMs = 5000;

/** Options of a connection that reconnects indefinitely. */
export function connectionOf({ host, port, db, tls, username, password }: QueueAddress) {
  return {
    host,
    port,
    db,
    ...(tls === null ? {} : { tls }),
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    connectTimeout: connectTimeoutMs,
    retryStrategy: (times: number) => Math.min(100 * times, longestPauseMs),
    skipVersionCheck: true,
  };
}

/** The first word of a Redis error, or the code of a network error; never any sent data. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code === "string") return code;
  const [word = ""] = typeof message === "string" ? message.split(" ") : [];
  return /^[A-Z]{3,}$/.test(word) ? word : "the connection ended";
}

/** The error for a Redis that cannot be used. */
export function unavailable({ address }: QueueAddress, reason: string): SluiceError {
  return new SluiceError("SERVER_UNREACHABLE", `${address}: cannot be used (${reason})`, {
    hint: "Check the address, the credentials and that Redis runs, then run the command again: it resumes.",
  });
}

/**
 * Connects without retrying, so that a failure is reported immediately.
 * @throws {SluiceError} SERVER_UNREACHABLE
 */
export async function connect({ Redis }: QueuePackages, address: QueueAddress): Promise<Redis> {
  const client = new Redis({
    ...connectionOf(address),
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    connectionName: "sluice",
  });
  let last: unknown;
  client.on("error", (error: unknown) => {
    last = error;
  });
  client.options.retryStrategy = () => null;
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    client.disconnect();
    throw unavailable(address, reasonOf(last ?? error));
  }
  client.options.retryStrategy = connectionOf(address).retryStrategy;
  return client;
}

/**
 * Text of a worker's error for the coordinator: code and message of a SluiceError, otherwise only the kind of error.
 */
export function failureText(error: unknown): string {
  const { code, message } = toSluiceError(error);
  return code === "INTERNAL" ? "INTERNAL: the worker met an unexpected error" : `${code}: ${message}`;
}
