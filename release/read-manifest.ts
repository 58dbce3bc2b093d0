import type { Sha256 } from "../src/base/sha256.js";
import { SluiceError } from "../src/base/error.js";
import type { History } from "../store/history/open.js";
import { listEntries } from "../store/history/read.js";
import { readRecord } from "../store/records/read-records.js";
import type { ManifestRecord } from "../store/records/record-readers.js";

/** A manifest in the history. Its signature has not been verified. */
export interface StoredManifest extends ManifestRecord {
  readonly sha256: Sha256;
  readonly envelopeBytes: Buffer;
}

/** Reads the manifest in a record. @param sha256  id of the record */
export function manifestOf(history: History, sha256: Sha256): StoredManifest {
  const { bytes: envelopeBytes, document } = readRecord(history, "manifest", sha256);
  return { sha256, envelopeBytes, ...document };
}

/**
 * @param bundle  bundle id or a prefix; undefined selects the latest manifest
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS
 */
export function readManifest(history: History, bundle?: string): StoredManifest {
  const entries = listEntries(history, { kind: "manifest" }).slice(bundle === undefined ? -1 : 0);
  const found = entries
    .map(({ sha256 }) => manifestOf(history, sha256))
    .filter(({ bundleId }) => bundle === undefined || bundleId.startsWith(bundle.toLowerCase()));
  const [only, ...others] = found;
  if (only === undefined) {
    const message = bundle === undefined ? "the history holds no manifest" : `no bundle "${bundle}" in the history`;
    throw new SluiceError("RECORD_NOT_FOUND", message, {
      hint: "Sign one: sluice manifest create; in a project: sluice run --release",
    });
  }
  if (others.length > 0) {
    throw new SluiceError("RECORD_AMBIGUOUS", `${found.length} bundles begin with "${bundle}"`, {
      hint: "Give more digits of the bundle id.",
    });
  }
  return only;
}
