import { SluiceError } from "../src/base/error.js";
import type { BundleId } from "../src/documents/primitives.js";
import type { History } from "../store/history/open.js";
import { latestEntry, listEntries } from "../store/history/read.js";
import { readRecord } from "../store/records/read-records.js";
import { type StoredManifest, readManifest, manifestOf } from "./read-signed.js";

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

export type CatalogIdentity = Pick<StoredManifest["predicate"]["catalog"], "version" | "sha256">;

/** A catalog version that an exported bundle uses for a different catalog: servers could not tell them apart. */
export interface TakenCatalogVersion {
  readonly version: string;
  readonly release: number;
  /** The next version that no exported bundle uses. */
  readonly next: string;
}

/** Finds an exported bundle that uses this version for a different catalog; null if there is none. */
export function takenCatalogVersion(
  history: History,
  { version, sha256 }: CatalogIdentity,
): TakenCatalogVersion | null {
  const exported = new Set(
    listEntries(history, { kind: "export" }).map(
      (entry) => readRecord(history, "export", entry.sha256).document.bundle_id,
    ),
  );
  const released = [...exported].map((bundle) => readManifest(history, bundle).predicate);
  const other = released.findLast(({ catalog }) => catalog.version === version && catalog.sha256 !== sha256);
  if (other === undefined) return null;
  const used = new Set(released.map(({ catalog }) => catalog.version));
  return { version, release: other.release, next: nextVersion(version, used) };
}

/** Increments the final number of a version, or appends "-2" if it has none, until no released bundle uses it. */
function nextVersion(version: string, used: ReadonlySet<string>): string {
  const [, name = version, number = ""] = /^(.*?)(\d{1,9})$/u.exec(version) ?? [];
  const next = number === "" ? `${version}-2` : `${name}${String(Number(number) + 1).padStart(number.length, "0")}`;
  return used.has(next) ? nextVersion(next, used) : next;
}

/** @throws {SluiceError} CATALOG_INVALID */
export function requireNewCatalogVersion(history: History, catalog: CatalogIdentity): void {
  const taken = takenCatalogVersion(history, catalog);
  if (taken === null) return;
  const { version, release, next } = taken;
  const message = `catalog_version ${version}: release ${release} already uses it for a different catalog, and servers could not tell them apart`;
  throw new SluiceError("CATALOG_INVALID", message, {
    hint: `Set catalog_version: "${next}" in the catalog, and run again.`,
  });
}
