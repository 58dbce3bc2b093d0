import type { BigIntStats } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { sha256Hex, type Sha256 } from "../base/sha256.js";
import type { FileEntry } from "../documents/signed.js";
import { SluiceError } from "../base/error.js";
import { checkRelativePath, readFileName } from "./file-name.js";
import { readRegularFile } from "./read-regular-file.js";

/** Limits of a folder; sizes are checked before anything is read. */
export interface DirectoryLimits {
  readonly maxFiles: number;
  /** Maximum number of folders between the root and a file. */
  readonly maxDepth: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

export const defaultDirectoryLimits: DirectoryLimits = {
  maxFiles: 10_000,
  maxDepth: 16,
  maxFileBytes: 2 * 1024 ** 3 - 1,
  maxTotalBytes: 8 * 1024 ** 3,
};

/** `lstat` data of a file or folder, for detecting changes later without reading it. */
export interface FileStat {
  /** Absolute path, with links resolved. */
  readonly path: string;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
  /** Digest of the bytes that were read; null for a folder. */
  readonly sha256: string | null;
}

/** All files of a folder. Each was read once, and these are the bytes that were hashed. */
export interface DirectoryContent {
  /** Content by relative path, in the order of `entries`. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Sorted by the raw UTF-8 bytes of the path. */
  readonly entries: readonly FileEntry[];
  /** The root, then folders, then files. */
  readonly stats: readonly FileStat[];
}

interface Listed {
  readonly path: string;
  readonly stat: BigIntStats;
}

interface Walk {
  readonly root: string;
  readonly limits: DirectoryLimits;
  readonly files: Listed[];
  readonly folders: Listed[];
  readonly foldedPaths: Set<string>;
  totalBytes: number;
}

/** Order of paths in every list and digest: by raw UTF-8 bytes, independent of the locale. */
export function comparePaths(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}

/**
 * Digest of a file list: SHA-256 over the lines `<sha256>  <path>\n` in path order, lower-case hex. Same as Go's
 * `Hash1`, and as `find . -type f -print0 | cut -z -c3- | LC_ALL=C sort -z | xargs -0 sha256sum -- | sha256sum`.
 */
export function dirHash1(entries: readonly FileEntry[]): Sha256 {
  const sorted = [...entries].sort((a, b) => comparePaths(a.path, b.path));
  return sha256Hex(sorted.map((entry) => `${entry.sha256}  ${entry.path}\n`).join(""));
}

function exceeded(path: string, rule: string): SluiceError {
  return new SluiceError("FILE_REFUSED", `${path}: ${rule}`, { details: { file: path } });
}

function addFile(walk: Walk, path: string, stat: BigIntStats): void {
  const { limits, files } = walk;
  const size = Number(stat.size);
  if (size > limits.maxFileBytes) throw exceeded(path, `${size} bytes, at most ${limits.maxFileBytes} per file`);
  walk.totalBytes += size;
  if (walk.totalBytes > limits.maxTotalBytes) throw exceeded(path, `more than ${limits.maxTotalBytes} bytes in total`);
  if (files.length === limits.maxFiles) throw exceeded(path, `more than ${limits.maxFiles} files`);
  files.push({ path, stat });
}

function refuseTwin(foldedPaths: Set<string>, path: string): void {
  const folded = path.toUpperCase().toLowerCase();
  if (foldedPaths.has(folded)) {
    throw new SluiceError("FILE_REFUSED", `${path}: another name differs only in letter case`, {
      details: { file: path },
    });
  }
  foldedPaths.add(folded);
}

/** Refuses a second hard link, because it allows writes without touching the checked folder. */
export function refuseHardLink(path: string, stat: BigIntStats): void {
  if (stat.nlink <= 1n) return;
  throw new SluiceError("FILE_REFUSED", `${path}: has ${stat.nlink} names (hard links), expected exactly one`, {
    details: { file: path },
    hint: "Copy the folder without hard links: cp -r --no-preserve=links FROM TO",
  });
}

async function walkFolder(walk: Walk, folder: string, depth: number): Promise<void> {
  if (depth > walk.limits.maxDepth) throw exceeded(folder, `deeper than ${walk.limits.maxDepth} folders`);
  const names = await readdir(join(walk.root, folder), { encoding: "buffer" });
  for (const rawName of names) {
    const name = readFileName(rawName, folder === "" ? "." : folder);
    const path = folder === "" ? name : `${folder}/${name}`;
    refuseTwin(walk.foldedPaths, path);
    const stat = await lstat(join(walk.root, path), { bigint: true });
    if (stat.isFile()) {
      refuseHardLink(path, stat);
      addFile(walk, path, stat);
    } else if (stat.isDirectory()) {
      walk.folders.push({ path, stat });
      await walkFolder(walk, path, depth + 1);
    } else {
      const kind = stat.isSymbolicLink() ? "a symbolic link" : "neither a file nor a folder";
      throw new SluiceError("FILE_REFUSED", `${path}: ${kind}`, { details: { file: path } });
    }
  }
}

async function statRoot(root: string): Promise<BigIntStats> {
  const stat = await lstat(root, { bigint: true }).catch((cause: unknown) => {
    throw new SluiceError("FILE_NOT_FOUND", `${root}: no such folder`, { cause, details: { file: root } });
  });
  if (stat.isDirectory()) return stat;
  throw new SluiceError("FILE_REFUSED", `${root}: not a folder, or a symbolic link to one`, {
    details: { file: root },
  });
}

async function listFolder(root: string, limits: DirectoryLimits): Promise<Walk> {
  const stat = await statRoot(root);
  const realRoot = await realpath(root);
  const folders = [{ path: "", stat }];
  const walk: Walk = { root: realRoot, limits, files: [], folders, foldedPaths: new Set(), totalBytes: 0 };
  try {
    await walkFolder(walk, "", 0);
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw new SluiceError("READ_FAILED", `${root}: cannot be listed (${code})`, { cause, details: { file: root } });
  }
  if (walk.files.length === 0) {
    throw new SluiceError("FILE_MISSING", `${root}: holds no file`, { details: { file: root } });
  }
  walk.files.sort((a, b) => comparePaths(a.path, b.path));
  return walk;
}

/** The same content from files in memory, such as those of an archive. @throws {SluiceError} FILE_REFUSED */
export function contentOfFiles(files: ReadonlyMap<string, Buffer>): DirectoryContent {
  const sorted = new Map([...files].sort(([a], [b]) => comparePaths(a, b)));
  const foldedPaths = new Set<string>();
  const entries = [...sorted].map(([path, bytes]): FileEntry => {
    checkRelativePath(path);
    refuseTwin(foldedPaths, path);
    return { path, size: bytes.length, sha256: sha256Hex(bytes) };
  });
  return { files: sorted, entries, stats: [] };
}

/**
 * Reads a whole folder. Nothing is skipped: links, special files and names that systems interpret differently are
 * refused. Empty folders and file modes are ignored.
 * @throws {SluiceError} FILE_NOT_FOUND, FILE_MISSING (the folder has no files), FILE_REFUSED,
 *   FILE_REFUSED, FILE_CHANGED, READ_FAILED; details.file names the file
 */
export async function readDirectory(root: string, limits = defaultDirectoryLimits): Promise<DirectoryContent> {
  const walk = await listFolder(root, limits);
  const files = new Map<string, Buffer>();
  const entries: FileEntry[] = [];
  for (const { path, stat } of walk.files) {
    const bytes = await readRegularFile(walk.root, path, stat);
    files.set(path, bytes);
    entries.push({ path, size: bytes.length, sha256: sha256Hex(bytes) });
  }
  const stats = [
    ...walk.folders.map(({ path, stat }) => fileStat(join(walk.root, path), stat, null)),
    ...walk.files.map(({ path, stat }, i) => fileStat(join(walk.root, path), stat, entries[i]?.sha256 ?? null)),
  ];
  return { files, entries, stats };
}

/** Data of a file or folder for later comparison. */
export function fileStat(path: string, stat: BigIntStats, sha256: string | null): FileStat {
  const { size, mtimeNs, ctimeNs, ino } = stat;
  return { path, size, mtimeNs, ctimeNs, ino, sha256 };
}
