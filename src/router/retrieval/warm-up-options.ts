import type { OpenEmbeddingCache } from "./embedding-cache.js";

/** How a retriever's index is built. */
export interface WarmUpOptions {
  /**
   * Cache of earlier warm-ups. Only for offline work whose results are checked before use: the cache is not signed, so
   * a server uses the signed vectors of its bundle.
   */
  readonly cache?: OpenEmbeddingCache | undefined;
  /** Called with the number of texts encoded so far, and the total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Stops after the running jobs when aborted, with INTERRUPTED. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Number of concurrent jobs in the pool: enough for all its threads, but no more than its queue accepts. Default 2.
   */
  readonly jobsInFlight?: number | undefined;
}
