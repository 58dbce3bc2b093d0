import { type BigIntStats, lstatSync } from "node:fs";
import type { FileStat } from "./directory-hash.js";

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

/** Files and folders that may have changed. */
export interface TouchedFiles {
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
