import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { ScoringInputs } from "../../../eval/shard-file.js";
import { replaceFile } from "../../../src/base/files.js";
import { sha256Hex, type Sha256 } from "../../../src/base/sha256.js";
import { SluiceError } from "../../../src/base/error.js";
import { getBlob } from "../../../store/history/read.js";
import type { History } from "../../../store/history/open.js";
import { makeFolders } from "../../../store/make-folders.js";
import { readModel } from "../../../store/records/read-records.js";
import type { WorkbenchContext } from "../../../store/workbench-context.js";
import { type ObjectStore, openObjectStore } from "./object-store.js";
import { isStoreUrl, type QueueSettings } from "../../../store/project/queue-settings.js";
import type { Redis } from "./redis.js";

/** Digests of every blob that a worker needs for a run: six documents, and the files of both models. */
export function blobsOfRun(history: History, inputs: ScoringInputs): readonly Sha256[] {
  const models = [inputs.retriever_sha256, inputs.verifier_sha256];
  const files = models.flatMap((model) => readModel(history, model).document.files.map(({ sha256 }) => sha256));
  const { catalog_sha256, dataset_sha256, split_sha256, policy_sha256 } = inputs;
  return [...new Set([catalog_sha256, dataset_sha256, split_sha256, policy_sha256, ...models, ...files])];
}

/** A place of blobs by digest; null where it has none of that digest. */
export type BlobSource = (sha256: Sha256) => Promise<Buffer | null>;

const blobPath = (folder: string, sha256: Sha256): string => join(folder, "blobs", "sha256", sha256);

/** Files `blobs/sha256/DIGEST` of a folder, as in an OCI image layout. */
const folderStore = (folder: string): ObjectStore => ({
  read: async (sha256) => {
    const path = blobPath(folder, sha256);
    return existsSync(path) ? readFile(path) : null;
  },
  has: async (sha256) => existsSync(blobPath(folder, sha256)),
  write: async (sha256, bytes) => {
    await makeFolders(join(folder, "blobs", "sha256"));
    await replaceFile(blobPath(folder, sha256), bytes, 0o644);
  },
});

/**
 * The place that coordinator and workers see; null where the settings name none.
 * @throws {SluiceError} those of `openObjectStore`
 */
export async function openInputs(
  settings: QueueSettings,
  context: Pick<WorkbenchContext, "env" | "signal">,
): Promise<ObjectStore | null> {
  const { inputs } = settings;
  if (inputs === undefined) return null;
  return isStoreUrl(inputs) ? openObjectStore(inputs, settings, context) : folderStore(inputs);
}

/** Writes the blobs that a place lacks. @throws {SluiceError} WRITE_FAILED, STORE_UNAVAILABLE */
export async function fillInputs(store: ObjectStore, history: History, blobs: readonly Sha256[]): Promise<void> {
  for (const sha256 of blobs) {
    if (!(await store.has(sha256))) await store.write(sha256, getBlob(history, sha256));
  }
}

/** Key of a blob of a run; deleted with the run. */
const blobKey = (prefix: string, run: string, sha256: string): string => `${prefix}:inputs:${run}:${sha256}`;

/** Where the inputs of one run are in Redis. */
export interface RedisPlace {
  readonly redis: Redis;
  readonly prefix: string;
  /** `shardedRunId` of the run. */
  readonly run: string;
}

/** Blobs in Redis, packed. */
export const redisBlobs =
  ({ redis, prefix, run }: RedisPlace): BlobSource =>
  async (sha256) => {
    const packed = await redis.getBuffer(blobKey(prefix, run, sha256));
    return packed === null ? null : unpacked(packed, sha256);
  };

function unpacked(packed: Buffer, sha256: Sha256): Buffer {
  try {
    return gunzipSync(packed);
  } catch (cause) {
    throw new SluiceError("HASH_MISMATCH", `input ${sha256.slice(0, 12)} in Redis is not what was sent`, { cause });
  }
}

/** Inputs that are no longer used leave Redis after this time. */
const keptSeconds = 7 * 86_400;

/** Sends the blobs that Redis lacks. */
export async function fillRedis(
  { redis, prefix, run }: RedisPlace,
  history: History,
  blobs: readonly Sha256[],
): Promise<void> {
  for (const sha256 of blobs) {
    const key = blobKey(prefix, run, sha256);
    if ((await redis.exists(key)) === 0) await redis.set(key, gzipSync(getBlob(history, sha256)), "EX", keptSeconds);
  }
}

/** Deletes what was sent for a run. */
export async function emptyRedis({ redis, prefix, run }: RedisPlace, blobs: readonly Sha256[]): Promise<void> {
  if (blobs.length > 0) await redis.unlink(...blobs.map((sha256) => blobKey(prefix, run, sha256)));
}

/**
 * A reader of blobs from the first source that has one; its digest is checked before it is used.
 * @throws {SluiceError} HASH_MISMATCH, FILE_MISSING
 */
export function verifiedBlobs(sources: readonly BlobSource[]): (sha256: Sha256) => Promise<Buffer> {
  return async (sha256) => {
    for (const source of sources) {
      const bytes = await source(sha256);
      if (bytes === null) continue;
      if (sha256Hex(bytes) === sha256) return bytes;
      throw new SluiceError("HASH_MISMATCH", `input ${sha256.slice(0, 12)} has other bytes than its digest says`);
    }
    throw new SluiceError("FILE_MISSING", `input ${sha256.slice(0, 12)} of the run cannot be found by this worker`, {
      hint: "Start workers with a place that all see: sluice eval worker --inputs PLACE. Or send the inputs: sluice eval run --ship-texts",
    });
  };
}
