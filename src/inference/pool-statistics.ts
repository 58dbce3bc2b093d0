/** What a pool has done since its start, and its state now; all counts. */
export interface PoolStatistics {
  /** Jobs that no thread has taken. */
  readonly waiting: number;
  /** Jobs in threads, also those that nobody waits for any more. */
  readonly underWay: number;
  /** Messages of jobs sent; finished jobs by messages is the mean size of a batch. */
  readonly messages: number;
  /** Jobs answered with an output. */
  readonly finished: number;
  /** Jobs answered with an error of the model, or with the end of their threads. */
  readonly failed: number;
  /** Jobs turned away because the queue was full. */
  readonly refused: number;
  /** Jobs answered with their deadline. */
  readonly expired: number;
  /** Jobs that nobody waited for any more. */
  readonly cancelled: number;
  /** Results that came after their job had expired or was cancelled; dropped. */
  readonly late: number;
  /** Threads started in place of failed ones. */
  readonly restarts: number;
  /** Threads that hold every model; they may be busy. */
  readonly workersReady: number;
}
