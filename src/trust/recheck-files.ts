import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, relative } from "node:path";
import { sha256Hex } from "../base/sha256.js";
import { touchedFiles } from "./bundle-watch.js";
import { fileStat, type FileStat, refuseHardLink } from "./directory-hash.js";
import { readRegularFile } from "./read-regular-file.js";
import { runInThread } from "./thread.js";

/** Result of reading touched files again. */
export interface Recheck {
  /** `fileStats` with new stats for everything that was touched but has the same content. */
  readonly fileStats: readonly FileStat[];
  /** Relative paths whose content differs or cannot be read. */
  readonly differing: readonly string[];
}

/**
 * Reads only those files and folders again that were touched since they were read: a file must contain the same bytes,
 * a folder the same names.
 * @param fileStats  stats from `readDirectory`, the root first
 */
export async function recheckFiles(fileStats: readonly FileStat[]): Promise<Recheck> {
  const root = fileStats[0]?.path ?? "";
  const touched = new Set(touchedFiles(fileStats).paths);
  const names = namesByFolder(fileStats);
  const checked = new Map<string, FileStat>();
  const differing: string[] = [];
  for (const known of fileStats.filter(({ path }) => touched.has(path))) {
    const equal = await equalNow(root, known, names.get(known.path) ?? []).catch(() => null);
    if (equal === null) differing.push(relative(root, known.path));
    else checked.set(known.path, equal);
  }
  return { fileStats: fileStats.map((known) => checked.get(known.path) ?? known), differing };
}

/** Runs `recheckFiles` in another thread, because this one may be answering requests. */
export function recheckInThread(fileStats: readonly FileStat[]): Promise<Recheck> {
  return runInThread(new URL("./recheck.worker.js", import.meta.url), fileStats);
}

function namesByFolder(fileStats: readonly FileStat[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const { path } of fileStats) {
    const folder = dirname(path);
    names.set(folder, [...(names.get(folder) ?? []), basename(path)]);
  }
  return names;
}

/** The new stat of a file or folder whose content is unchanged; null if it differs. */
async function equalNow(root: string, known: FileStat, names: readonly string[]): Promise<FileStat | null> {
  const stat = await lstat(known.path, { bigint: true });
  if (known.sha256 === null) {
    const found = stat.isDirectory() ? await readdir(known.path) : null;
    return found?.sort().join("/") === [...names].sort().join("/") ? fileStat(known.path, stat, null) : null;
  }
  if (!stat.isFile() || stat.size !== known.size) return null;
  refuseHardLink(known.path, stat);
  const bytes = await readRegularFile(root, relative(root, known.path), stat);
  return sha256Hex(bytes) === known.sha256 ? fileStat(known.path, stat, known.sha256) : null;
}
