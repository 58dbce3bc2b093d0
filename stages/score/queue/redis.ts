import type { Job, Queue, Worker, WaitingError } from "bullmq";
import type { Redis } from "ioredis";
import { SluiceError, toSluiceError } from "../../../src/base/error.js";
import type { QueueAddress } from "../../../store/project/queue-settings.js";

/** What BullMQ and ioredis offer that is used here. */
export interface QueuePackages {
  readonly Queue: typeof Queue;
  readonly Worker: typeof Worker;
  readonly WaitingError: typeof WaitingError;
  readonly Redis: typeof Redis;
}
export type { Job, Queue, Redis, Worker };

/** Name of the one queue of a prefix. */
export const queueName = "eval";

/**
 * The packages of the queue. They are optional, because neither a server nor a single machine needs them.
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

/** Options of a connection that is made again for as long as it is used. */
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

/** The first word of a Redis error, or the code of a network error: never what was sent. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code === "string") return code;
  const [word = ""] = typeof message === "string" ? message.split(" ") : [];
  return /^[A-Z]{3,}$/.test(word) ? word : "the connection ended";
}

/** A Redis that cannot be used. */
export function unavailable({ address }: QueueAddress, reason: string): SluiceError {
  return new SluiceError("QUEUE_UNAVAILABLE", `${address}: cannot be used (${reason})`, {
    hint: "Check the address, the credentials and that Redis runs, then run the command again: it resumes.",
  });
}

/**
 * Connects once, and says at once why that fails.
 * @throws {SluiceError} QUEUE_UNAVAILABLE
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

/** Text of an error of a worker, for the coordinator: the code and the message of ours, otherwise the kind alone. */
export function failureText(error: unknown): string {
  const { code, message } = toSluiceError(error);
  return code === "INTERNAL" ? "INTERNAL: the worker met an unexpected error" : `${code}: ${message}`;
}
