import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SluiceError } from "../../src/base/error.js";
import { openWorkbench } from "../../stages/open-workbench.js";
import { scoreRunOverQueue } from "../../stages/score/queue/score-over-queue.js";
import { withHistory } from "../../store/records/session.js";
import type { QueueSettings } from "../../store/project/queue-settings.js";
import { keyFileIn } from "./shard-key.js";
import type { TestRedis } from "./redis-server.js";

const program = fileURLToPath(new URL("./queue-worker-program.js", import.meta.url));

/** Starts a worker in a separate process. @param lockMs  how long it keeps a shard when it is silent */
export function startWorker(settings: QueueSettings, folder: string, lockMs: number): ChildProcess {
  const words = [program, JSON.stringify(settings), folder, String(lockMs)];
  return spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
}

/** Short, so that a killed worker's shard is soon given out again; long enough for a busy machine. */
const lockMs = 3000;

/** Kills a process and waits for its end. */
export async function killed(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await ended;
}

export interface ChaosOptions {
  readonly redis: TestRedis;
  /** A workspace ready for `eval run`. */
  readonly workspace: string;
  /** An empty folder. */
  readonly scratch: string;
  readonly workers: number;
  readonly shards: number;
  /** In [0, 1); null: nothing is killed. */
  readonly random: (() => number) | null;
}

export interface ChaosResult {
  readonly run: string | null;
  /** Shards that were reported as failed; empty when there is a run. */
  readonly failed: readonly number[];
  readonly kills: number;
  readonly restarts: number;
}

/**
 * Scores a run while workers are killed, and replaced, and Redis is killed and started again, whenever some more requests
 * are done.
 */
export async function chaosRound({ redis, workspace, scratch, ...options }: ChaosOptions): Promise<ChaosResult> {
  const { workers, shards, random } = options;
  const settings = { url: redis.url, inputs: join(scratch, "inputs"), key: keyFileIn(scratch) };
  let started = 0;
  const start = (): ChildProcess => {
    started += 1;
    return startWorker(settings, join(scratch, `worker-${started}`), lockMs);
  };
  const alive = Array.from({ length: workers }, start);
  let [kills, restarts, nextAt] = [0, 0, 0];
  let acting: Promise<void> = Promise.resolve();
  const act = async (): Promise<void> => {
    if (random === null) return;
    const victim = Math.floor(random() * alive.length);
    const child = alive[victim];
    if (child !== undefined) await killed(child);
    alive[victim] = start();
    kills += 1;
    if (random() >= 0.5) return;
    await redis.restart();
    restarts += 1;
  };
  let total = 0;
  const progress = {
    start: (_: string, requests: number) => {
      total = requests;
      nextAt = total * 0.1;
    },
    update: (finished: number) => {
      if (finished < nextAt) return;
      nextAt = finished + total * (0.1 + 0.3 * (random?.() ?? 0));
      acting = acting.then(act);
    },
    done: () => undefined,
  };
  const workbench = await openWorkbench({ folder: workspace, progress });
  try {
    const { run: runId } = await withHistory(workbench, "write", (session) =>
      scoreRunOverQueue(session, {
        settings,
        shards,
        maxErrorShare: 0,
        onNote: () => undefined,
      }),
    );
    // The last shard may be done while Redis still starts again.
    await acting;
    return { run: runId, failed: [], kills, restarts };
  } catch (error) {
    await acting;
    if (!(error instanceof SluiceError) || error.code !== "SHARDS_FAILED") throw error;
    const { failed } = error.details as { readonly failed: readonly { readonly shard: number }[] };
    return { run: null, failed: failed.map(({ shard }) => shard), kills, restarts };
  } finally {
    await acting;
    await Promise.all(alive.map((child) => killed(child)));
  }
}
