import { bundleIdOf } from "../../src/artifacts/statements.js";
import type { Sha256 } from "../../src/digest/sha256.js";
import type { BundleId } from "../../src/domain/primitives.js";
import { checkSchema } from "../../src/domain/check-schema.js";
import { ManifestPredicateSchema, type ManifestPredicateWire } from "../../src/domain/signed.js";
import { SluiceError } from "../../src/errors/error.js";
import type { History } from "../history/open.js";
import { getBlob, listEntries } from "../history/read.js";
import { openStatement } from "./open-statement.js";
import { shortId } from "../records/short-id.js";

/** A manifest of the history; its signature is verified by whoever relies on it. */
export interface KeptManifest {
  readonly sha256: Sha256;
  readonly bundleId: BundleId;
  readonly envelopeBytes: Buffer;
  readonly predicate: ManifestPredicateWire;
}

/** The manifest of one record. @param sha256  id of the record */
export function manifestOf(history: History, sha256: Sha256): KeptManifest {
  const envelopeBytes = getBlob(history, sha256);
  const name = `manifest ${shortId(sha256)}`;
  const { payload, statement } = openStatement(envelopeBytes, name);
  const predicate = checkSchema(ManifestPredicateSchema, statement.predicate, name);
  return { sha256, bundleId: bundleIdOf(payload), envelopeBytes, predicate };
}

/**
 * @param bundle  bundle id or its beginning; undefined takes the latest manifest
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS
 */
export function readManifest(history: History, bundle?: string): KeptManifest {
  const entries = listEntries(history, { kind: "manifest" }).slice(bundle === undefined ? -1 : 0);
  const found = entries
    .map(({ sha256 }) => manifestOf(history, sha256))
    .filter(({ bundleId }) => bundle === undefined || bundleId.startsWith(bundle.toLowerCase()));
  const [only, ...others] = found;
  if (only === undefined) {
    const message = bundle === undefined ? "the history holds no manifest" : `no bundle "${bundle}" in the history`;
    throw new SluiceError("RECORD_NOT_FOUND", message, { hint: "Make one with: sluice manifest create" });
  }
  if (others.length > 0) {
    throw new SluiceError("RECORD_AMBIGUOUS", `${found.length} bundles begin with "${bundle}"`, {
      hint: "Give more digits of the bundle id.",
    });
  }
  return only;
}
