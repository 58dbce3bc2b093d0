import { unbounded } from "../domain/run-scope.js";
import { SluiceError } from "../errors/error.js";
import type { LoadedModel } from "../inference/model-host.js";
import { type EmbeddingCache, type EncoderIdentity, embeddingKey } from "./embedding-cache.js";

export interface EmbedOptions {
  readonly encoder: LoadedModel;
  readonly identity: EncoderIdentity;
  /** Concurrent jobs, integer >= 1. */
  readonly jobsInFlight: number;
  readonly cache: EmbeddingCache;
  /** Distinct texts that have a vector, and how many will have one. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Stops after the running jobs. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Vectors of texts; cached texts are not encoded again. Texts are processed in a fixed order, so that the vectors do
 * not depend on the given order. Vectors encoded before a failure stay in the cache.
 * @returns one vector for each distinct text
 * @throws {SluiceError} MODEL_INVALID when the length of the vectors differs from the description, MODEL_RUN_FAILED,
 *   BACKEND_OVERLOADED, INTERRUPTED, WRITE_FAILED
 */
export async function embedTexts(
  texts: readonly string[],
  options: EmbedOptions,
): Promise<ReadonlyMap<string, Float32Array>> {
  const { cache, identity, onProgress, signal } = options;
  const distinct = new Set(texts);
  const vectors = new Map<string, Float32Array>();
  for (const text of distinct) {
    const known = cache.get(embeddingKey(identity, text));
    if (known !== null) vectors.set(text, known);
  }
  onProgress?.(vectors.size, distinct.size);

  const missing = [...distinct]
    .filter((text) => !vectors.has(text))
    .sort(byLength)
    .values();
  const encodeNext = async (): Promise<void> => {
    for (const text of missing) {
      if (signal?.aborted === true) throw interrupted(vectors.size, distinct.size);
      const vector = await encode(text, options);
      vectors.set(text, vector);
      cache.put(embeddingKey(identity, text), vector);
      onProgress?.(vectors.size, distinct.size);
    }
  };
  const loops = await Promise.allSettled(Array.from({ length: options.jobsInFlight }, encodeNext));
  await cache.save();
  for (const loop of loops) if (loop.status === "rejected") throw loop.reason;
  return vectors;
}

const byLength = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

/** @returns shape (dimensions) */
async function encode(text: string, { encoder, identity }: EmbedOptions): Promise<Float32Array> {
  const { matrix } = await encoder.run({ kind: "texts", texts: [text] }, unbounded);
  if (matrix.columns === identity.dimensions) return matrix.values;
  const found = `vectors of ${matrix.columns} numbers, expected ${identity.dimensions} of its description`;
  throw new SluiceError("MODEL_INVALID", `the encoder returned ${found}`, {
    hint: `Set "dimensions" to ${matrix.columns} in router_model.json.`,
  });
}

const interrupted = (done: number, total: number): SluiceError =>
  new SluiceError("INTERRUPTED", `the warm-up stopped after ${done} of ${total} texts`, {
    hint: "Run the same command again; with a cache it continues where it stopped.",
    details: { done, total },
  });
