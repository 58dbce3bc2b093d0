import type { OpenEmbeddingCache } from "./embedding-cache.js";

/** How a retriever's index is built. */
export interface WarmUpOptions {
  /**
   * Vectors of earlier warm-ups. Only offline work passes one, whose results are looked at before they act: nobody signs
   * a cache, so a server encodes every text of its bundle itself.
   */
  readonly cache?: OpenEmbeddingCache | undefined;
  /** Called with the texts that have a vector, and how many will have one. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Stops after the jobs under way, with INTERRUPTED. */
  readonly signal?: AbortSignal | undefined;
  /** Jobs in the pool at once: enough for all its threads, not more than its queue accepts. Default 2. */
  readonly jobsInFlight?: number | undefined;
}
