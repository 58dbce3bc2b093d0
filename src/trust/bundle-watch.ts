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
 * Whether the files and folders of a bundle are as they were when they were read; a few microseconds each. The change
 * time cannot be set back, so a restored modification time is noticed. False only means that they must be read again.
 */
export function bundleFilesUnchanged(fileStats: readonly FileStat[]): boolean {
  return fileStats.every((known) => isUnchanged(known, statNow(known.path)));
}

/** Files and folders that are not as they were. */
export interface TouchedFiles {
  readonly paths: readonly string[];
  /** Equal marks: nothing changed between the two checks, as far as `stat` shows. */
  readonly mark: string;
}

/** Which files and folders of a bundle are not as they were when they were read. */
export function touchedFiles(fileStats: readonly FileStat[]): TouchedFiles {
  const touched = fileStats.flatMap((known) => {
    const now = statNow(known.path);
    return isUnchanged(known, now) ? [] : [{ path: known.path, now }];
  });
  const marks = touched.map(({ path, now }) => [path, now?.ino, now?.size, now?.mtimeNs, now?.ctimeNs].join(" "));
  return { paths: touched.map(({ path }) => path), mark: marks.join("\n") };
}
