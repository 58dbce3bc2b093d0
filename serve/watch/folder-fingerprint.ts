import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import { sha256Hex } from "../../src/digest/sha256.js";

/**
 * Digest of names, sizes and times of everything in a folder: a change means that the folder should be checked again.
 */
export async function folderFingerprint(directory: string): Promise<string> {
  const names = (await readdir(directory, { recursive: true })).sort();
  const marks = await Promise.all(names.map((name) => markOf(join(directory, name))));
  return sha256Hex(canonicalBytes(names.map((name, index) => [name, marks[index] ?? null])));
}

async function markOf(path: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await lstat(path, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(" ");
}
