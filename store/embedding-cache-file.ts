import { readStoredFile } from "../src/base/files.js";
import { randomInt } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import { SluiceError } from "../src/base/error.js";
import type { EmbeddingCache, EncoderIdentity, OpenEmbeddingCache } from "../src/router/retrieval/embedding-cache.js";

/** Size of the SHA-256 at the start of a record; a CRC-32 is at its end. */
const keyBytes = 32;
const checksumBytes = 4;
/** How many of the vectors that a step takes from the file are encoded again: 1%, and at least 8. */
const checkedShare = 0.01;
const fewestChecked = 8;
/** Of the vectors of scored texts, one in so many. */
const checkedOfScored = 25;
/** Maximum size of one encoder's records, 256 MiB, because they are held in memory. */
const mostBytes = 2 ** 28;

/**
 * A cache with one file per encoder in a folder, which is created if it does not exist. The files can be deleted at any
 * time.
 * @param room  maximum size of a file in bytes
 */
export const embeddingCacheFolder =
  (folder: string, room = mostBytes): OpenEmbeddingCache =>
  (encoder) =>
    FileEmbeddingCache.open(folder, encoder, room);

/**
 * Records of fixed size: key, vector (float32, little-endian), CRC-32 of both. A record with a wrong checksum counts as
 * missing. Saving writes a new file and renames it, so that a reader sees either the old file or the new one. If two
 * processes save at once, one loses its additions and has to encode those texts again. A full file keeps the vectors
 * that its process used, and loses the others.
 */
class FileEmbeddingCache implements EmbeddingCache {
  private readonly folder: string;
  private readonly encoder: EncoderIdentity;
  private readonly room: number;
  private readonly found: StoredVectors["vectors"];
  private readonly used = new Map<string, Float32Array>();
  /** Keys of vectors that this process encoded, or that took part in a choice of those to check. */
  private readonly settled = new Set<string>();
  private changed: boolean;

  private constructor(folder: string, encoder: EncoderIdentity, room: number, { vectors, damaged }: StoredVectors) {
    this.folder = folder;
    this.encoder = encoder;
    this.room = Math.floor(room / sizeOfRecord(encoder));
    this.found = vectors;
    this.changed = damaged;
  }

  /** @throws {SluiceError} READ_FAILED */
  static async open(folder: string, encoder: EncoderIdentity, room: number): Promise<FileEmbeddingCache> {
    return new FileEmbeddingCache(folder, encoder, room, await readStored(fileOf(folder, encoder), encoder));
  }

  get(key: string): Float32Array | null {
    const used = this.used.get(key);
    if (used !== undefined) return used;
    const found = this.found.get(key);
    if (found === undefined) return null;
    const vector = new Float32Array(new Uint8Array(found).buffer);
    if (this.used.size < this.room) this.used.set(key, vector);
    return vector;
  }

  get name(): string {
    return fileOf(this.folder, this.encoder);
  }

  toCheck(keys: readonly string[]): readonly string[] {
    const left = keys.filter((key) => !this.settled.has(key));
    for (const key of left) this.settled.add(key);
    const count = Math.min(left.length, Math.max(fewestChecked, Math.ceil(checkedShare * left.length)));
    return Array.from({ length: count }, () => left.splice(randomInt(left.length), 1)).flat();
  }

  draws(key: string): boolean {
    if (this.settled.has(key)) return false;
    this.settled.add(key);
    return randomInt(checkedOfScored) === 0;
  }

  put(key: string, vector: Float32Array): void {
    this.settled.add(key);
    if (this.used.size >= this.room) return;
    this.used.set(key, vector);
    this.changed = true;
  }

  async save(): Promise<void> {
    if (!this.changed) return;
    const path = fileOf(this.folder, this.encoder);
    try {
      await mkdir(this.folder, { recursive: true });
      const own = await mkdtemp(join(this.folder, ".writing-"));
      try {
        const written = join(own, "vectors");
        await pipeline(recordsOf(this.toKeep(await readStored(path, this.encoder))), createWriteStream(written));
        await rename(written, path);
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    } catch (cause) {
      throw new SluiceError("WRITE_FAILED", `${path}: the vectors cannot be saved`, { cause });
    }
    this.changed = false;
  }

  /** The vectors that this process used, then those in the file at the time of saving, as far as there is room. */
  private toKeep({ vectors }: StoredVectors): StoredVectors["vectors"] {
    const kept = new Map<string, Uint8Array>();
    for (const [key, { buffer, byteOffset, byteLength }] of this.used) {
      kept.set(key, new Uint8Array(buffer, byteOffset, byteLength));
    }
    for (const [key, vector] of vectors) {
      if (kept.size >= this.room) break;
      if (!kept.has(key)) kept.set(key, vector);
    }
    return kept;
  }
}

const fileOf = (folder: string, { sha256 }: EncoderIdentity): string => join(folder, `${sha256}.vectors`);

const sizeOfRecord = ({ dimensions }: EncoderIdentity): number =>
  keyBytes + dimensions * Float32Array.BYTES_PER_ELEMENT + checksumBytes;

interface StoredVectors {
  /** Bytes of each vector, float32, by key. Those read from a file share its bytes. */
  readonly vectors: ReadonlyMap<string, Uint8Array>;
  /** Whether some bytes were not a valid record. */
  readonly damaged: boolean;
}

/** Largest buffer of Node on every supported platform. */
const largestCacheBytes = 2 ** 31 - 1;

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readStoredFile(path, { maxBytes: largestCacheBytes });
  } catch (cause) {
    const { cause: reason } = cause as { readonly cause?: NodeJS.ErrnoException };
    if (reason?.code === "ENOENT") return Buffer.alloc(0);
    throw new SluiceError("READ_FAILED", `${path}: the saved vectors cannot be read`, {
      hint: `Delete the file; the texts are encoded again: rm ${path}`,
      cause,
    });
  }
}

async function readStored(path: string, encoder: EncoderIdentity): Promise<StoredVectors> {
  const bytes = await bytesOf(path);
  const vectors = new Map<string, Uint8Array>();
  const recordBytes = sizeOfRecord(encoder);
  const whole = Math.floor(bytes.length / recordBytes);
  for (let record = 0; record < whole; record += 1) {
    const content = bytes.subarray(record * recordBytes, (record + 1) * recordBytes - checksumBytes);
    if (crc32(content) !== bytes.readUInt32LE((record + 1) * recordBytes - checksumBytes)) continue;
    vectors.set(content.toString("hex", 0, keyBytes), content.subarray(keyBytes));
  }
  return { vectors, damaged: vectors.size * recordBytes !== bytes.length };
}

function* recordsOf(vectors: StoredVectors["vectors"]): Iterable<Buffer> {
  for (const [key, vector] of vectors) {
    const content = Buffer.concat([Buffer.from(key, "hex"), vector]);
    const checksum = Buffer.alloc(checksumBytes);
    checksum.writeUInt32LE(crc32(content));
    yield Buffer.concat([content, checksum]);
  }
}
