import { unbounded } from "../../domain/run-scope.js";
import { SluiceError } from "../../errors/error.js";
import type { LoadedModel } from "../../inference/model-host.js";
import { type EmbeddingCache, type EncoderIdentity, embeddingKey } from "../embedding-cache.js";

export interface EmbedOptions {
  readonly encoder: LoadedModel;
  readonly identity: EncoderIdentity;
  /** Texts in one job, integer >= 1; 1 where a vector depends on what else is in its run. */
  readonly textsPerJob: number;
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

  const missing = [...distinct].filter((text) => !vectors.has(text)).sort(byLength);
  const batches = batchesOf(missing, options.textsPerJob);
  const encodeNext = async (): Promise<void> => {
    for (const batch of batches) {
      if (signal?.aborted === true) throw interrupted(vectors.size, distinct.size);
      const encoded = await encode(batch, options);
      for (const [row, text] of batch.entries()) {
        const vector = encoded.subarray(row * identity.dimensions, (row + 1) * identity.dimensions);
        vectors.set(text, vector);
        cache.put(embeddingKey(identity, text), vector);
      }
      onProgress?.(vectors.size, distinct.size);
    }
  };
  const loops = await Promise.allSettled(Array.from({ length: options.jobsInFlight }, encodeNext));
  await cache.save();
  for (const loop of loops) if (loop.status === "rejected") throw loop.reason;
  return vectors;
}

/** Texts of one job are about equally long, so that little of a run is padding. */
const byLength = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

/** Several loops may share one: it ends for all of them when one fails, because that loop closes it. */
function* batchesOf(texts: readonly string[], size: number): Generator<readonly string[]> {
  for (let start = 0; start < texts.length; start += size) yield texts.slice(start, start + size);
}

/** @returns shape (texts, dimensions), row-major */
async function encode(texts: readonly string[], { encoder, identity }: EmbedOptions): Promise<Float32Array> {
  const { matrix } = await encoder.run({ kind: "texts", texts, goesTo: null }, unbounded);
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
