import { type BigIntStats, lstatSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { sha256Hex } from "../base/sha256.js";
import { fileStat, type FileStat, refuseHardLink } from "./directory-hash.js";
import { readRegularFile } from "./read-regular-file.js";
import { runInThread } from "./thread.js";

/** What differs from a folder that was read before. */
export interface FileDifference {
  /** Inside the folder; "" is the folder itself. */
  readonly path: string;
  /** `changed`: another content, or one that cannot be read. `extra`: it was not there. */
  readonly change: "changed" | "missing" | "extra";
}

export interface Recheck {
  /** `fileStats` with new stats for everything that was touched but has the same content. */
  readonly fileStats: readonly FileStat[];
  readonly differing: readonly FileDifference[];
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
  const differing = new Map<string, FileDifference>();
  for (const known of fileStats.filter(({ path }) => touched.has(path))) {
    const now = await stateNow(root, known, names.get(known.path) ?? []);
    if ("equal" in now) checked.set(known.path, now.equal);
    else for (const difference of now.differing) differing.set(difference.path, difference);
  }
  return { fileStats: fileStats.map((known) => checked.get(known.path) ?? known), differing: [...differing.values()] };
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

type StateNow = { readonly equal: FileStat } | { readonly differing: readonly FileDifference[] };

/** The new stat of a file or folder with the content that it had, or what differs. */
async function stateNow(root: string, known: FileStat, names: readonly string[]): Promise<StateNow> {
  const changed = (change: FileDifference["change"]) => ({
    differing: [{ path: relative(root, known.path), change }],
  });
  try {
    const stat = await lstat(known.path, { bigint: true });
    if (known.sha256 !== null) return (await equalFile(root, known, stat)) ?? changed("changed");
    if (!stat.isDirectory()) return changed("changed");
    const found = await readdir(known.path);
    const differing = [...differingNames("extra", found, names), ...differingNames("missing", names, found)].map(
      ({ name, change }) => ({ path: relative(root, join(known.path, name)), change }),
    );
    return differing.length === 0 ? { equal: fileStat(known.path, stat, null) } : { differing };
  } catch (cause) {
    return changed((cause as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : "changed");
  }
}

const differingNames = (change: FileDifference["change"], names: readonly string[], others: readonly string[]) =>
  names.filter((name) => !others.includes(name)).map((name) => ({ name, change }));

async function equalFile(root: string, known: FileStat, stat: BigIntStats): Promise<{ equal: FileStat } | null> {
  if (!stat.isFile() || stat.size !== known.size) return null;
  refuseHardLink(known.path, stat);
  const bytes = await readRegularFile(root, relative(root, known.path), stat);
  return sha256Hex(bytes) === known.sha256 ? { equal: fileStat(known.path, stat, known.sha256) } : null;
}

function statNow(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isUnchanged(known: FileStat, now: BigIntStats | undefined): boolean {
  return (
    now !== undefined &&
    now.ino === known.ino &&
    now.size === known.size &&
    now.mtimeNs === known.mtimeNs &&
    now.ctimeNs === known.ctimeNs
  );
}

/**
 * Whether the files and folders of a bundle are unchanged since they were read; takes a few microseconds each. The
 * change time cannot be set back, so a restored modification time is detected. False only means that they must be read
 * again.
 */
export function bundleFilesUnchanged(fileStats: readonly FileStat[]): boolean {
  return fileStats.every((known) => isUnchanged(known, statNow(known.path)));
}

interface TouchedFiles {
  readonly paths: readonly string[];
  /** If the marks of two checks are equal, nothing changed between them as far as `stat` shows. */
  readonly mark: string;
}

/** Finds the files and folders of a bundle that may have changed since they were read. */
export function touchedFiles(fileStats: readonly FileStat[]): TouchedFiles {
  const touched = fileStats.flatMap((known) => {
    const now = statNow(known.path);
    return isUnchanged(known, now) ? [] : [{ path: known.path, now }];
  });
  const marks = touched.map(({ path, now }) => [path, now?.ino, now?.size, now?.mtimeNs, now?.ctimeNs].join(" "));
  return { paths: touched.map(({ path }) => path), mark: marks.join("\n") };
}
