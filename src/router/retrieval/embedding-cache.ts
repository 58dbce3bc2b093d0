import type { EncodedText } from "../../documents/text-scores.js";
import { SluiceError } from "../../base/error.js";
import { sha256Hex } from "../../base/sha256.js";

/**
 * Cached vectors of texts. Only for work whose result is checked later (evaluation, fitting, building a bundle): the
 * cache is not signed, so production uses the signed vectors of its bundle.
 */
export interface EmbeddingCache {
  /** @param key  from `embeddingKey` */
  get(key: string): Float32Array | null;
  put(key: string, vector: Float32Array): void;
  /**
   * Chooses, unpredictably, the keys whose vectors are encoded again and compared, because others may have written the
   * cache. Vectors of this process are never among them, and each other one takes part in one choice.
   */
  toCheck(keys: readonly string[]): readonly string[];
  /** The same for the vector of one scored text: whether it is encoded again. */
  draws(key: string): boolean;
  readonly name: string;
  /** Saves the added vectors for later processes. @throws {SluiceError} WRITE_FAILED */
  save(): Promise<void>;
}

export type OpenEmbeddingCache = (encoder: EncoderIdentity) => Promise<EmbeddingCache>;

/** Everything that vectors depend on, besides the text. */
export interface EncoderIdentity {
  /** SHA-256 over the model files, settings and runtime that determine a vector. */
  readonly sha256: string;
  /** Length of each vector. */
  readonly dimensions: number;
}

/** A text as passed to the encoder, including the prefix. `cut`: longer than the encoder can read. */
interface TextToEncode {
  readonly text: string;
  readonly cut: boolean;
}

/** Cache key of a text, SHA-256. */
export const embeddingKey = (encoder: EncoderIdentity, { text, cut }: TextToEncode): string =>
  sha256Hex(JSON.stringify([encoder.sha256, text, ...(cut ? ["cut"] : [])]));

interface CachedText {
  readonly key: string;
  readonly encoded: EncodedText;
}

/** @param text  as passed to the encoder, including the prefix */
export function cachedText(cache: EmbeddingCache, encoder: EncoderIdentity, text: string): CachedText | null {
  for (const cut of [false, true]) {
    const key = embeddingKey(encoder, { text, cut });
    const vector = cache.get(key);
    if (vector !== null) return { key, encoded: { vector, truncated: cut } };
  }
  return null;
}

/** @param text  as passed to the encoder, including the prefix */
export function cacheText(
  cache: EmbeddingCache,
  encoder: EncoderIdentity,
  text: string,
  { vector, truncated }: EncodedText,
): void {
  cache.put(embeddingKey(encoder, { text, cut: truncated }), vector);
}

/**
 * Least cosine of a cached vector and the encoder's. Vectors of one machine are equal; those of processors with other
 * instructions differ in the last digits.
 */
const leastCosine = 0.999;

/** @throws {SluiceError} HASH_MISMATCH  a cached vector is not the one that the encoder gives */
export function requireSameVector({ name }: EmbeddingCache, cached: Float32Array, encoded: Float32Array): void {
  if (cosine(cached, encoded) >= leastCosine) return;
  throw new SluiceError("HASH_MISMATCH", `${name}: a vector is not the one that the encoder gives`, {
    hint: "Find out who can write this cache, and delete it; scores and claims made with it are void.",
  });
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  const norm = Math.sqrt(dot(a, a) * dot(b, b));
  return norm === 0 ? Number(dot(a, a) === dot(b, b)) : dot(a, b) / norm;
}

export class MemoryEmbeddingCache implements EmbeddingCache {
  readonly name = "memory";
  private readonly vectors = new Map<string, Float32Array>();

  toCheck(): readonly string[] {
    return [];
  }

  draws(): boolean {
    return false;
  }

  get(key: string): Float32Array | null {
    return this.vectors.get(key) ?? null;
  }

  put(key: string, vector: Float32Array): void {
    this.vectors.set(key, vector);
  }

  async save(): Promise<void> {}
}
