/** Upper bounds of the buckets for batch sizes; the last bucket has no upper bound. */
export const batchSizeLimits = [1, 2, 4, 8, 16, 32, 64] as const;

/** Counts of a pool of inference threads since it started, and its current state. */
export interface PoolStatistics {
  readonly waiting: number;
  /** Jobs being run by threads, including abandoned ones. */
  readonly underWay: number;
  /** Messages sent to threads; finished jobs divided by messages is the mean batch size. */
  readonly messages: number;
  /** Number of messages by batch size: one count per bound in `batchSizeLimits`, and one for larger messages. */
  readonly batchSizes: readonly number[];
  /** Jobs sent in all messages; a job that is retried on a second thread counts twice. */
  readonly sent: number;
  /** Jobs that produced an output. */
  readonly finished: number;
  /** Jobs that failed with a model error, or because their threads ended. */
  readonly failed: number;
  /** Jobs refused because the queue was full. */
  readonly refused: number;
  /** Jobs that reached their deadline. */
  readonly expired: number;
  /** Abandoned jobs. */
  readonly cancelled: number;
  /** Results that arrived after their job had expired or was cancelled, and were dropped. */
  readonly late: number;
  /** Threads started to replace failed ones. */
  readonly restarts: number;
  /** Threads that have loaded every model; they may be busy. */
  readonly workersReady: number;
}
