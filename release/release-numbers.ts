import type { BundleId } from "../src/documents/primitives.js";
import type { History } from "../store/history/open.js";
import { latestEntry, listEntries } from "../store/history/read.js";
import { readRecord } from "../store/records/read-records.js";
import { type StoredManifest, readManifest, manifestOf } from "./read-manifest.js";

/** The bundle exported last, which is taken to be the one in production; null before the first export. */
export function lastReleased(history: History): StoredManifest | null {
  if (latestEntry(history, "export") === undefined) return null;
  return readManifest(history, readRecord(history, "export").document.bundle_id);
}

/** Numbers of the next manifest of a history. */
export interface ReleaseNumbers {
  readonly supersedes: BundleId | null;
  readonly release: number;
  /** Allows a rollback to the previous release, but not to older ones. */
  readonly rollbackFloor: number;
}

/** The next release number is one above the highest in the history; the bundle exported last is superseded. */
export function releaseNumbers(history: History): ReleaseNumbers {
  const used = listEntries(history, { kind: "manifest" }).map(
    ({ sha256 }) => manifestOf(history, sha256).predicate.release,
  );
  const released = lastReleased(history);
  return {
    supersedes: released?.bundleId ?? null,
    release: Math.max(0, ...used) + 1,
    rollbackFloor: released?.predicate.release ?? 1,
  };
}
