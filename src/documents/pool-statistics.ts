/** Largest sizes of the buckets in which messages are counted; the last bucket has no limit. */
export const batchSizeLimits = [1, 2, 4, 8, 16, 32, 64] as const;

/** Counts of a pool of inference threads since its start, and its current state. */
export interface PoolStatistics {
  /** Jobs waiting for a thread. */
  readonly waiting: number;
  /** Jobs in threads, including abandoned ones. */
  readonly underWay: number;
  /** Messages of jobs sent; finished jobs by messages is the mean size of a batch. */
  readonly messages: number;
  /** Messages by their number of jobs: one count for each of `batchSizeLimits`, and one for larger ones. */
  readonly batchSizes: readonly number[];
  /** Jobs in all messages, counted again when a job is given to a second thread. */
  readonly sent: number;
  /** Jobs answered with an output. */
  readonly finished: number;
  /** Jobs answered with an error of the model, or with the end of their threads. */
  readonly failed: number;
  /** Jobs turned away because the queue was full. */
  readonly refused: number;
  /** Jobs answered with their deadline. */
  readonly expired: number;
  /** Abandoned jobs. */
  readonly cancelled: number;
  /** Results that came after their job had expired or was cancelled; dropped. */
  readonly late: number;
  /** Threads started in place of failed ones. */
  readonly restarts: number;
  /** Threads that hold every model; they may be busy. */
  readonly workersReady: number;
}
