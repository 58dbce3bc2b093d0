import { sha256Hex } from "../../base/sha256.js";

/**
 * Cached vectors of texts. Only for work whose result is checked later (evaluation, fitting, building a bundle): a
 * cache is not signed, so production takes the signed vectors of its bundle.
 */
export interface EmbeddingCache {
  /** @param key  from `embeddingKey` */
  get(key: string): Float32Array | null;
  put(key: string, vector: Float32Array): void;
  /** Keeps what was put for the next process. @throws {SluiceError} WRITE_FAILED */
  save(): Promise<void>;
}

/** Opens the cache of one encoder. */
export type OpenEmbeddingCache = (encoder: EncoderIdentity) => Promise<EmbeddingCache>;

/** What vectors depend on in addition to the text. */
export interface EncoderIdentity {
  /** SHA-256 over the model files, the settings and the runtime that make a vector. */
  readonly sha256: string;
  /** Numbers in each vector. */
  readonly dimensions: number;
}

/** A text as the encoder reads it, prefix included. `cut`: longer than the encoder reads. */
export interface TextToEncode {
  readonly text: string;
  readonly cut: boolean;
}

/** Cache key of a text, SHA-256. */
export const embeddingKey = (encoder: EncoderIdentity, { text, cut }: TextToEncode): string =>
  sha256Hex(JSON.stringify([encoder.sha256, text, ...(cut ? ["cut"] : [])]));

/** Lives as long as its process. */
export class MemoryEmbeddingCache implements EmbeddingCache {
  private readonly vectors = new Map<string, Float32Array>();

  get(key: string): Float32Array | null {
    return this.vectors.get(key) ?? null;
  }

  put(key: string, vector: Float32Array): void {
    this.vectors.set(key, vector);
  }

  async save(): Promise<void> {}
}
