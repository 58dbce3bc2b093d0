import type { OpenEmbeddingCache } from "./embedding-cache.js";

/** How a retriever's index is built. */
export interface WarmUpOptions {
  /**
   * Cache of earlier warm-ups. Only for offline work, whose results are checked before use: a cache is not signed, so
   * a server takes the signed vectors of its bundle.
   */
  readonly cache?: OpenEmbeddingCache | undefined;
  /** Called with the texts that have a vector, and how many will have one. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Stops after the running jobs, with INTERRUPTED. */
  readonly signal?: AbortSignal | undefined;
  /** Jobs in the pool at once: enough for all its threads, not more than its queue accepts. Default 2. */
  readonly jobsInFlight?: number | undefined;
}
