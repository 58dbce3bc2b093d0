import { createHmac, createSecretKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { ShardHeader, ShardKey } from "../../eval/shard-file.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";

const digits = "7".repeat(64);

/** A key for shards; `keyFileIn` writes it. */
export const aShardKey: ShardKey = { name: "queue.key", secret: createSecretKey(Buffer.from(digits, "hex")) };

/** Writes `aShardKey` to a file of a folder. @returns the path */
export function keyFileIn(folder: string): string {
  const path = join(folder, "queue.key");
  writeFileSync(path, `${digits}\n`, { mode: 0o600 });
  return path;
}

const macBytes = 32;

/** The compressed part of a shard as somebody with the key would write it. */
export const sealed = (packed: Uint8Array, { secret }: ShardKey = aShardKey): Buffer =>
  Buffer.concat([createHmac("sha256", secret).update("sluice-shard 1\n").update(packed).digest(), packed]);

/** A shard with one changed bit of its records and a head that agrees, by somebody without the key. */
export function forgedShard(bytes: Uint8Array): Buffer {
  const content = gunzipSync(bytes.subarray(macBytes));
  const end = content.indexOf(0x0a);
  const table = Buffer.from(content.subarray(end + 1));
  const at = Math.floor(table.length / 2);
  table[at] = (table[at] ?? 0) ^ 1;
  const head = JSON.parse(content.subarray(0, end).toString("utf8")) as ShardHeader;
  const line = `${canonicalJson({ ...head, records_sha256: sha256Hex(table) })}\n`;
  return Buffer.concat([bytes.subarray(0, macBytes), gzipSync(Buffer.concat([Buffer.from(line), table]))]);
}
