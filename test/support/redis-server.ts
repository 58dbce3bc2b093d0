import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.js";

/** A Redis of a test alone. */
export interface TestRedis {
  readonly port: number;
  readonly url: string;
  /** Where `tls-port TLSPORT` is configured. */
  readonly tlsUrl: string;
  /** Kills the server, as a power loss would. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port and folder: with its append-only file, or empty where it has none. */
  readonly restart: () => Promise<void>;
}

export interface TestRedisOptions {
  readonly appendOnly?: boolean;
  /** Further lines of its configuration; TLSPORT stands for a free port. */
  readonly config?: readonly string[];
}

function started(configuration: string): Promise<ChildProcess> {
  const child = spawn("redis-server", [configuration], { stdio: ["ignore", "pipe", "ignore"] });
  let log = "";
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`redis-server ended: ${log}`)));
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (log.includes("Ready to accept connections")) resolve(child);
    });
  });
}

/** Runs a test with a Redis on a free port, with its own folder, and ends it. */
export async function withRedis<T>(
  folder: string,
  body: (redis: TestRedis) => Promise<T>,
  { appendOnly = false, config = [] }: TestRedisOptions = {},
): Promise<T> {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const data = join(folder, `redis-${port}`);
  mkdirSync(data);
  const file = join(data, "redis.conf");
  const lines = [
    `port ${port}`,
    "bind 127.0.0.1",
    `dir ${data}`,
    'save ""',
    `appendonly ${appendOnly ? "yes" : "no"}`,
    "appendfsync always",
    ...config.map((line) => line.replace("TLSPORT", String(tlsPort))),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  let child = await started(file);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  };
  try {
    return await body({
      port,
      url: `redis://127.0.0.1:${port}`,
      tlsUrl: `rediss://localhost:${tlsPort}`,
      kill,
      restart: async () => {
        await kill();
        child = await started(file);
      },
    });
  } finally {
    await kill();
  }
}
