import { randomBytes } from "node:crypto";
import { lstat, readdir, rename } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SluiceError } from "../base/error.js";

/** Suffix of a folder that was moved away for a replacement. */
const oldSuffix = ".old";

/** The staging folder is next to the destination, and hidden so that watchers ignore it. */
const stagingPrefix = (directory: string): string => `.${basename(resolve(directory))}.staging-`;

/** A new name for a folder that is being written. */
export function stagingOf(directory: string): string {
  return join(dirname(directory), `${stagingPrefix(directory)}${randomBytes(6).toString("hex")}`);
}

/** Path to which the folder that a staged one replaces is moved. */
export function oldOf(staging: string): string {
  return `${staging}${oldSuffix}`;
}

/** Staging folders next to a folder, of writers that were killed or are still running. */
export async function leftBehind(directory: string): Promise<readonly string[]> {
  const parent = dirname(directory);
  const names = await readdir(parent).catch(() => []);
  const prefix = stagingPrefix(directory);
  return names
    .filter((name) => name.startsWith(prefix) && /^[0-9a-f]{12}(\.old)?$/.test(name.slice(prefix.length)))
    .sort()
    .map((name) => join(parent, name));
}

/** The newest complete folder that a killed writer moved away without replacing it; null if there is none. */
async function movedAway(directory: string): Promise<string | null> {
  if ((await lstat(directory).catch(() => null)) !== null) return null;
  const old = (await leftBehind(directory)).filter((path) => path.endsWith(oldSuffix));
  const moved = await Promise.all(old.map(async (path) => ({ path, at: (await lstat(path)).mtimeMs })));
  return moved.sort((a, b) => b.at - a.at)[0]?.path ?? null;
}

/** Restores a folder that a killed writer had moved away. @returns whether there was one */
export async function restoreMovedAway(directory: string): Promise<boolean> {
  const old = await movedAway(directory);
  if (old === null) return false;
  await rename(old, directory);
  return true;
}

/** @throws {SluiceError} FILE_NOT_FOUND the folder is missing because a killed writer had moved it away */
export async function requireInPlace(directory: string): Promise<void> {
  const old = await movedAway(directory);
  if (old === null) return;
  throw new SluiceError("FILE_NOT_FOUND", `${directory}: no such folder; an interrupted export left it as ${old}`, {
    hint: `Restore it: mv ${old} ${directory}. The next export to this folder does so automatically.`,
  });
}
