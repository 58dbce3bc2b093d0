import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import { SluiceError } from "../../src/errors/error.js";
import type { EmbeddingCache, EncoderIdentity, OpenEmbeddingCache } from "../../src/retrieval/embedding-cache.js";

/** Size of the SHA-256 at the start of a record, and of the CRC-32 at its end. */
const keyBytes = 32;
const checksumBytes = 4;

/** A cache with one file for each encoder in a folder, which need not exist. The files may be deleted at any time. */
export const embeddingCacheFolder =
  (folder: string): OpenEmbeddingCache =>
  (encoder) =>
    FileEmbeddingCache.open(folder, encoder);

/**
 * Records of fixed size: key, vector (float32, little-endian), CRC-32 of both. A record that does not match its
 * checksum counts as missing. Saving writes a new file and renames it, so that a reader sees the old file or the new
 * one; of two processes that save at once, one loses its additions and encodes those texts again.
 */
class FileEmbeddingCache implements EmbeddingCache {
  private readonly folder: string;
  private readonly path: string;
  private readonly vectors: Map<string, Float32Array>;
  private changed: boolean;

  private constructor(folder: string, path: string, { vectors, damaged }: StoredVectors) {
    this.folder = folder;
    this.path = path;
    this.vectors = vectors;
    this.changed = damaged;
  }

  /** @throws {SluiceError} READ_FAILED */
  static async open(folder: string, encoder: EncoderIdentity): Promise<FileEmbeddingCache> {
    const path = join(folder, `${encoder.sha256}.vectors`);
    return new FileEmbeddingCache(folder, path, readRecords(await bytesOf(path), encoder.dimensions));
  }

  get(key: string): Float32Array | null {
    return this.vectors.get(key) ?? null;
  }

  put(key: string, vector: Float32Array): void {
    this.vectors.set(key, vector);
    this.changed = true;
  }

  async save(): Promise<void> {
    if (!this.changed) return;
    try {
      await mkdir(this.folder, { recursive: true });
      const own = await mkdtemp(join(this.folder, ".writing-"));
      try {
        const written = join(own, "vectors");
        await pipeline(recordsOf(this.vectors), createWriteStream(written));
        await rename(written, this.path);
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    } catch (cause) {
      throw new SluiceError("WRITE_FAILED", `${this.path}: the vectors cannot be saved`, { cause });
    }
    this.changed = false;
  }
}

interface StoredVectors {
  readonly vectors: Map<string, Float32Array>;
  /** true when some bytes were no record. */
  readonly damaged: boolean;
}

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw new SluiceError("READ_FAILED", `${path}: the saved vectors cannot be read`, {
      hint: `Delete the file; the texts are encoded again: rm ${path}`,
      cause,
    });
  }
}

function readRecords(bytes: Buffer, dimensions: number): StoredVectors {
  const vectors = new Map<string, Float32Array>();
  const recordBytes = keyBytes + dimensions * Float32Array.BYTES_PER_ELEMENT + checksumBytes;
  const whole = Math.floor(bytes.length / recordBytes);
  for (let record = 0; record < whole; record += 1) {
    const content = bytes.subarray(record * recordBytes, (record + 1) * recordBytes - checksumBytes);
    if (crc32(content) !== bytes.readUInt32LE((record + 1) * recordBytes - checksumBytes)) continue;
    const vector = new Uint8Array(content.subarray(keyBytes));
    vectors.set(content.toString("hex", 0, keyBytes), new Float32Array(vector.buffer));
  }
  return { vectors, damaged: vectors.size * recordBytes !== bytes.length };
}

function* recordsOf(vectors: ReadonlyMap<string, Float32Array>): Iterable<Buffer> {
  for (const [key, { buffer, byteOffset, byteLength }] of vectors) {
    const content = Buffer.concat([Buffer.from(key, "hex"), Buffer.from(buffer, byteOffset, byteLength)]);
    const checksum = Buffer.alloc(checksumBytes);
    checksum.writeUInt32LE(crc32(content));
    yield Buffer.concat([content, checksum]);
  }
}
