import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { type Static, Type } from "../src/base/typebox.js";
import { canonicalJson } from "../src/base/canonical-json.js";
import { sha256Hex, type Sha256 } from "../src/base/sha256.js";
import { checkSchema } from "../src/documents/check-schema.js";
import { object, CountSchema, Sha256Schema } from "../src/documents/primitives.js";
import { type Run, type ScoredRecord, scoringInputFields } from "../src/documents/scored-record.js";
import { SluiceError } from "../src/base/error.js";
import { readScoredTable, scoredTableBytes } from "./scored-table.js";

/** Human-readable name of each input of a run. */
const inputDigests = {
  catalog_sha256: "catalog",
  dataset_sha256: "dataset",
  split_sha256: "split",
  policy_sha256: "policy",
  retriever_sha256: "retriever",
  verifier_sha256: "verifier",
  serializer_sha256: "serializer",
} as const;

/** Digests of everything that determines the records of a run. */
export type ScoringInputs = Pick<Run, keyof typeof inputDigests>;

/** One part of a run: the rows at positions `shard - 1`, `shard - 1 + shards`, and so on. */
export interface ShardPart {
  readonly shard: number;
  readonly shards: number;
}

const ShardHeaderSchema = object({
  schema_version: Type.Literal(1),
  kind: Type.Literal("shard"),
  ...scoringInputFields,
  scoring_version: Type.String(),
  model_version: Type.String(),
  top_k: CountSchema,
  shard: Type.Integer({ minimum: 1 }),
  shards: Type.Integer({ minimum: 1 }),
  /** Number of rows in the whole dataset. */
  dataset_requests: CountSchema,
  /** Number of rows in this shard, and how many of them failed. */
  requests: CountSchema,
  scoring_errors: CountSchema,
  records_sha256: Sha256Schema,
});
export type ShardHeader = Static<typeof ShardHeaderSchema>;

/** The secret that authenticates shards, shared by everyone who scores or merges shards of a run. */
export interface ShardKey {
  readonly secret: KeyObject;
  /** How messages refer to the key: the path of its file. */
  readonly name: string;
}

export interface ShardFile {
  readonly header: ShardHeader;
  /** The records in the format of `scoredTableBytes`. */
  readonly table: Uint8Array;
}

export function scoringInputsOf(document: ScoringInputs): ScoringInputs {
  const { catalog_sha256, dataset_sha256, split_sha256, policy_sha256 } = document;
  const { retriever_sha256, verifier_sha256, serializer_sha256 } = document;
  return {
    catalog_sha256,
    dataset_sha256,
    split_sha256,
    policy_sha256,
    retriever_sha256,
    verifier_sha256,
    serializer_sha256,
  };
}

/** Human-readable names of the inputs in which two documents differ. */
export const differingInputs = (a: ScoringInputs, b: ScoringInputs): readonly string[] =>
  Object.entries(inputDigests).flatMap(([key, name]) =>
    a[key as keyof ScoringInputs] === b[key as keyof ScoringInputs] ? [] : [name],
  );

/** Digest of the inputs and of the scoring version; equal for all shards of one run. */
export const shardedRunId = (header: ScoringInputs & Pick<ShardHeader, "scoring_version">): Sha256 =>
  sha256Hex(canonicalJson({ ...scoringInputsOf(header), scoring_version: header.scoring_version }));

/** File name of a shard: `<first 16 digits of the run's digest>-03-of-16.shard`. */
export function shardFileName(header: ScoringInputs & ShardPart & Pick<ShardHeader, "scoring_version">): string {
  const { shard, shards } = header;
  const digits = String(shards).length;
  return `${shardedRunId(header).slice(0, 16)}-${String(shard).padStart(digits, "0")}-of-${shards}.shard`;
}

/** Every `shards`-th item, so that shards have about the same size and difficulty. */
export function rowsOfShard<T>(rows: readonly T[], { shard, shards }: ShardPart): readonly T[] {
  const chosen: T[] = [];
  for (let index = shard - 1; index < rows.length; index += shards) {
    const row = rows[index];
    if (row !== undefined) chosen.push(row);
  }
  return chosen;
}

/** Number of rows in a shard of `rows` rows. */
export const sizeOfShard = (rows: number, { shard, shards }: ShardPart): number =>
  Math.max(0, Math.ceil((rows - shard + 1) / shards));

/**
 * A shard as a file: an HMAC-SHA-256 of 32 bytes over the rest; gzip of a line of canonical JSON, which names the
 * inputs, the part and the digest of the records, followed by the Arrow table of `scoredTableBytes`.
 */
export function shardBytes(
  header: Omit<ShardHeader, "schema_version" | "kind" | "requests" | "scoring_errors" | "records_sha256">,
  records: readonly ScoredRecord[],
  key: ShardKey,
): Buffer {
  const table = scoredTableBytes(records);
  const whole: ShardHeader = {
    schema_version: 1,
    kind: "shard",
    ...header,
    requests: records.length,
    scoring_errors: records.filter(({ error_code: errorCode }) => errorCode !== null).length,
    records_sha256: sha256Hex(table),
  };
  const packed = gzipSync(Buffer.concat([Buffer.from(`${canonicalJson(whole)}\n`), table]));
  return Buffer.concat([authenticationOf(packed, key), packed]);
}

const authenticationBytes = 32;

const authenticationOf = (packed: Uint8Array, { secret }: ShardKey): Buffer =>
  createHmac("sha256", secret).update("sluice-shard 1\n").update(packed).digest();

/**
 * Reads the output of `shardBytes` and checks it, every record included.
 * @param what  how messages refer to the bytes, e.g. a path
 * @throws {SluiceError} SIGNATURE_INVALID  nobody with the key wrote it; DOCUMENT_INVALID, HASH_MISMATCH
 */
export function readShard(bytes: Uint8Array, what: string, key: ShardKey): ShardFile {
  const file = openShard(bytes, what, key);
  const records = readScoredTable(file.table, what);
  const failed = records.filter(({ error_code: errorCode }) => errorCode !== null).length;
  const { requests, scoring_errors: errors } = file.header;
  if (records.length === requests && failed === errors) return file;
  const found = `${records.length} records, ${failed} of them failed; its first line says ${requests} and ${errors}`;
  throw new SluiceError("DOCUMENT_INVALID", `${what}: ${found}`);
}

/** As `readShard`, but checks only the digest of the records, not each record. */
export function openShard(bytes: Uint8Array, what: string, key: ShardKey): ShardFile {
  const content = unpacked(authenticated(bytes, what, key), what);
  const end = content.indexOf(0x0a);
  const header = checkSchema(ShardHeaderSchema, parseHeader(content.subarray(0, Math.max(0, end)), what), what);
  // A copy, because Arrow needs its numbers aligned to eight bytes.
  const table = Uint8Array.prototype.slice.call(content, end + 1);
  if (sha256Hex(table) !== header.records_sha256) {
    throw new SluiceError("HASH_MISMATCH", `${what}: its records differ from the digest in its first line`);
  }
  const expected = sizeOfShard(header.dataset_requests, header);
  if (header.requests !== expected || header.shard > header.shards) {
    const found = `${header.requests} records, expected ${expected} in shard ${header.shard} of ${header.shards}`;
    throw new SluiceError("DOCUMENT_INVALID", `${what}: ${found}`);
  }
  return { header, table };
}

/** Largest unpacked shard: a million records of 500 bytes. */
const maxShardBytes = 2 ** 29;

/** The compressed part of a shard that somebody with the key wrote. */
function authenticated(bytes: Uint8Array, what: string, key: ShardKey): Uint8Array {
  const given = bytes.subarray(0, authenticationBytes);
  const packed = bytes.subarray(authenticationBytes);
  if (given.length === authenticationBytes && timingSafeEqual(given, authenticationOf(packed, key))) return packed;
  throw new SluiceError("SIGNATURE_INVALID", `${what}: not authenticated by the key ${key.name}`, {
    hint: "Score it again with the same --queue-key on every machine.",
  });
}

function unpacked(bytes: Uint8Array, what: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxShardBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw new SluiceError("TOO_LARGE", `${what}: unpacks to more than ${maxShardBytes} bytes`, { cause });
    }
    throw new SluiceError("DOCUMENT_INVALID", `${what}: not a whole shard file`, { cause });
  }
}

function parseHeader(line: Buffer, what: string): unknown {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch (cause) {
    throw new SluiceError("DOCUMENT_INVALID", `${what}: its first line is not a shard's`, { cause });
  }
}
