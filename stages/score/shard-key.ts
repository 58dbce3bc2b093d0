import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { link, stat, unlink } from "node:fs/promises";
import type { ShardKey } from "../../eval/shard-file.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { pathExists, readRegularInput, writeFailure, writeNewFile } from "../../src/base/files.js";
import type { Workspace } from "../../store/workspace.js";

/**
 * Reads the key that authenticates shards: one line of 64 hex digits.
 * @param file  default: the key of the workspace
 * @throws {SluiceError} FILE_NOT_FOUND, KEY_FILE_MODE  every user of the machine can read it; KEY_INVALID, READ_FAILED
 */
export async function readShardKey(workspace: Pick<Workspace, "queueKey">, file?: string): Promise<ShardKey> {
  const name = file ?? workspace.queueKey;
  if (!(await pathExists(name))) {
    throw new SluiceError("FILE_NOT_FOUND", `${name}: no such key, which authenticates shards`, {
      hint: say`Copy queue.key from the workspace of ${command`sluice eval run`}, which creates it, and name the copy with --queue-key FILE.`,
    });
  }
  return { name, secret: secretOf(await readRegularInput(name), name, (await stat(name)).mode) };
}

/** As `readShardKey`; creates the key if there is none. @throws {SluiceError} WRITE_FAILED, and as `readShardKey` */
export async function shardKeyOrNew(workspace: Pick<Workspace, "queueKey">, file?: string): Promise<ShardKey> {
  const name = file ?? workspace.queueKey;
  if (!(await pathExists(name))) await createKey(name);
  return readShardKey(workspace, file);
}

/** Creates a key, unless another process has just created it; nobody can read half a key. */
async function createKey(name: string): Promise<void> {
  const staged = `${name}.${randomBytes(6).toString("hex")}`;
  await writeNewFile(staged, Buffer.from(`${randomBytes(32).toString("hex")}\n`), 0o600);
  try {
    await link(staged, name);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw writeFailure(cause, name);
  } finally {
    await unlink(staged);
  }
}

function secretOf(bytes: Buffer, name: string, mode: number): KeyObject {
  // Others, but not the group: Kubernetes gives a mounted secret to the group of the pod.
  if ((mode & 0o007) !== 0) {
    throw new SluiceError("KEY_FILE_MODE", `${name}: every user of this machine can read it or write it`);
  }
  const line = bytes.toString("utf8").trim();
  if (/^[0-9a-f]{64}$/.test(line)) return createSecretKey(Buffer.from(line, "hex"));
  throw new SluiceError("KEY_INVALID", `${name}: not a key for shards, which is one line of 64 hex digits`, {
    hint: "Create one: (umask 077; openssl rand -hex 32 > FILE)",
  });
}
