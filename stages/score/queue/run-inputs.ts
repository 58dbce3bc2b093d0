import { existsSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  type ScoringInputs,
  scoringInputsOf,
  shardedRunId,
  type ShardHeader,
  type ShardPart,
} from "../../../eval/shard-file.js";
import { replaceFile, readStoredIfThere } from "../../../src/base/files.js";
import { sha256Hex, type Sha256 } from "../../../src/base/sha256.js";
import { command, say, SluiceError } from "../../../src/base/error.js";
import { getBlob } from "../../../store/history/read.js";
import type { History } from "../../../store/history/open.js";
import { makeFolders } from "../../../store/make-folders.js";
import { readModel } from "../../../store/records/read-records.js";
import type { WorkbenchContext } from "../../../store/workbench-context.js";
import { type ObjectStore, openObjectStore } from "./object-store.js";
import { isStoreUrl, type QueueSettings } from "../../../store/project/queue-settings.js";
import type { Redis } from "./redis.js";
import { type Static, Type } from "../../../src/base/typebox.js";
import { checkSchema } from "../../../src/documents/check-schema.js";
import { object, CountSchema } from "../../../src/documents/primitives.js";
import { scoringInputFields } from "../../../src/documents/scored-record.js";

/** Digests of all blobs that a worker needs for a run: six documents, and the files of both models. */
export function blobsOfRun(history: History, inputs: ScoringInputs): readonly Sha256[] {
  const models = [inputs.retriever_sha256, inputs.verifier_sha256];
  const files = models.flatMap((model) => readModel(history, model).document.files.map(({ sha256 }) => sha256));
  const { catalog_sha256, dataset_sha256, split_sha256, policy_sha256 } = inputs;
  return [...new Set([catalog_sha256, dataset_sha256, split_sha256, policy_sha256, ...models, ...files])];
}

/** Reads a blob by digest; null if it does not exist. */
export type BlobSource = (sha256: Sha256) => Promise<Buffer | null>;

const blobPath = (folder: string, sha256: Sha256): string => join(folder, "blobs", "sha256", sha256);

/** A store of files `blobs/sha256/DIGEST` in a folder, as of a pushed history. */
const folderStore = (folder: string): ObjectStore => ({
  read: async (sha256) => {
    const path = blobPath(folder, sha256);
    return readStoredIfThere(path);
  },
  has: async (sha256) => existsSync(blobPath(folder, sha256)),
  write: async (sha256, bytes) => {
    await makeFolders(join(folder, "blobs", "sha256"));
    await replaceFile(blobPath(folder, sha256), bytes, 0o644);
  },
});

/**
 * Opens the store shared by coordinator and workers; null if the settings have none.
 * @throws {SluiceError} as `openObjectStore`
 */
export async function openInputs(
  settings: QueueSettings,
  context: Pick<WorkbenchContext, "signal">,
): Promise<ObjectStore | null> {
  const { inputs } = settings;
  if (inputs === undefined) return null;
  return isStoreUrl(inputs) ? openObjectStore(inputs, settings, context) : folderStore(inputs);
}

/** Writes the blobs that are missing from a store. @throws {SluiceError} WRITE_FAILED, SERVER_UNREACHABLE */
export async function fillInputs(store: ObjectStore, history: History, blobs: readonly Sha256[]): Promise<void> {
  for (const sha256 of blobs) {
    if (!(await store.has(sha256))) await store.write(sha256, getBlob(history, sha256));
  }
}

/** Redis key of a blob of a run; deleted with the run. */
const blobKey = (prefix: string, run: string, sha256: string): string => `${prefix}:inputs:${run}:${sha256}`;

export interface RedisPlace {
  readonly redis: Redis;
  readonly prefix: string;
  /** `shardedRunId` of the run. */
  readonly run: string;
}

/** Refuses a value that no honest worker or coordinator wrote, before it is read. @throws {SluiceError} TOO_LARGE */
async function requireSmall(redis: Redis, key: string, maxBytes: number): Promise<void> {
  const size = await redis.strlen(key);
  if (size <= maxBytes) return;
  throw new SluiceError("TOO_LARGE", `${key} in Redis: ${size} bytes, at most ${maxBytes} are accepted`);
}

export const redisBlobs =
  ({ redis, prefix, run }: RedisPlace): BlobSource =>
  async (sha256) => {
    const key = blobKey(prefix, run, sha256);
    await requireSmall(redis, key, largestInputBytes);
    const packed = await redis.getBuffer(key);
    return packed === null ? null : unpacked(packed, sha256);
  };

/** Largest blob of a history, in bytes. */
const largestInputBytes = 2 ** 29;

function unpacked(packed: Buffer, sha256: Sha256): Buffer {
  try {
    return gunzipSync(packed, { maxOutputLength: largestInputBytes });
  } catch (cause) {
    throw new SluiceError("HASH_MISMATCH", `input ${sha256.slice(0, 12)} in Redis is not what was sent`, { cause });
  }
}

/** Time after which unused inputs expire in Redis, in seconds. */
const keptSeconds = 7 * 86_400;

/** Sends the blobs that are missing from Redis. */
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

export async function emptyRedis({ redis, prefix, run }: RedisPlace, blobs: readonly Sha256[]): Promise<void> {
  if (blobs.length > 0) await redis.unlink(...blobs.map((sha256) => blobKey(prefix, run, sha256)));
}

/**
 * Returns a reader that takes each blob from the first source that has it, and checks its digest.
 * @throws {SluiceError} HASH_MISMATCH, FILE_MISSING
 */
export function verifiedBlobs(sources: readonly BlobSource[]): (sha256: Sha256) => Promise<Buffer> {
  return async (sha256) => {
    for (const source of sources) {
      const bytes = await source(sha256);
      if (bytes === null) continue;
      if (sha256Hex(bytes) === sha256) return bytes;
      throw new SluiceError("HASH_MISMATCH", `input ${sha256.slice(0, 12)} does not match its digest`);
    }
    throw new SluiceError("FILE_MISSING", `input ${sha256.slice(0, 12)} of the run cannot be found by this worker`, {
      hint: say`Start workers with a shared place: ${command`sluice eval worker --inputs PLACE`}. Or send the inputs: ${command`sluice eval run --ship-texts`}`,
    });
  };
}

/** Content of a job: digests and numbers, never request texts. */
const ShardJobSchema = object({
  schema_version: Type.Literal(1),
  ...scoringInputFields,
  scoring_version: Type.String(),
  shard: Type.Integer({ minimum: 1 }),
  shards: Type.Integer({ minimum: 1 }),
  timeout_seconds: CountSchema,
});
export type ShardJob = Static<typeof ShardJobSchema>;

type PlannedShard = ScoringInputs & ShardPart & Pick<ShardHeader, "scoring_version">;

export const shardJob = (planned: PlannedShard, timeoutSeconds: number): ShardJob => ({
  schema_version: 1,
  ...scoringInputsOf(planned),
  scoring_version: planned.scoring_version,
  shard: planned.shard,
  shards: planned.shards,
  timeout_seconds: timeoutSeconds,
});

/** @throws {SluiceError} DOCUMENT_INVALID */
export const readShardJob = (data: unknown): ShardJob => checkSchema(ShardJobSchema, data, "job of the queue");

/** Redis key of a finished shard until the coordinator has fetched it. */
export const resultKey = (prefix: string, jobId: string): string => `${prefix}:result:${jobId}`;

/** A finished shard; null if there is none, or if it is larger than any shard that a worker writes. */
export async function resultOf(redis: Redis, key: string): Promise<Buffer | null> {
  return (await redis.strlen(key)) > largestInputBytes ? null : redis.getBuffer(key);
}

/** Time after which results and failures expire in Redis if they are not fetched: one day, in seconds. */
export const resultSeconds = 86_400;

/** Id of a job, equal for the same shard of the same run, so that it is added only once. */
export const shardJobId = (planned: PlannedShard): string =>
  `${shardedRunId(planned)}-${planned.shard}-of-${planned.shards}`;
