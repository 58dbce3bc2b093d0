import { lstatSync } from "node:fs";
import type { FileStat } from "./directory-hash.js";

function isUnchanged(known: FileStat): boolean {
  const now = lstatSync(known.path, { bigint: true, throwIfNoEntry: false });
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
  try {
    return fileStats.every(isUnchanged);
  } catch {
    return false;
  }
}
