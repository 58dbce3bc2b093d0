import { comparePaths } from "../../src/trust/directory-hash.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";

/** Record of an import; importing the same bundle again gives the same record. */
export function importRecord(bundleId: string, environment: string, files: ReadonlyMap<string, Uint8Array>): Buffer {
  const listed = [...files]
    .sort(([a], [b]) => comparePaths(a, b))
    .map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256Hex(bytes) }));
  return canonicalBytes({ schema_version: 1, bundle_id: bundleId, environment, files: listed });
}
