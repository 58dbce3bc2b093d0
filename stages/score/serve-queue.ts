import { type QueueWorkerOptions, type WorkedShard, workOnQueue } from "./queue/work-on-queue.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { createWorkspace } from "../../store/workspace.js";

/** Which queue to work on, and how much at once. */
export interface WorkForQueueOptions extends Pick<QueueWorkerOptions, "settings"> {
  /** Shards at once. Default 1. */
  readonly concurrency?: number;
  /** Inference threads, at least 1. Default 2. */
  readonly workers?: number;
  /** Called after each shard. Default: nothing. */
  readonly onShard?: (shard: WorkedShard) => void;
}

/**
 * Scores shards of a queue until the signal of the workbench is aborted. Inputs are fetched once for each run and
 * verified by their digests; what is under way at the end goes back to the queue.
 *
 * @example await workForQueue(workbench, { settings: { url: "redis://queue:6379", inputs: "/shared" } });
 * @returns the number of shards that were scored
 * @throws {SluiceError} QUEUE_UNAVAILABLE, PACKAGE_MISSING, USAGE
 */
export async function workForQueue(workbench: WorkbenchContext, options: WorkForQueueOptions): Promise<number> {
  const { settings, concurrency = 1, workers = 2, onShard = () => undefined } = options;
  await createWorkspace(workbench.workspace);
  return workOnQueue(workbench, {
    settings,
    concurrency: Math.max(1, concurrency),
    workers: Math.max(1, workers),
    onShard,
  });
}
