import { sha256Hex } from "../digest/sha256.js";
import type { ManifestPredicateWire, Statement } from "../domain/signed.js";

type Subjects = Statement["subject"];

/** Largest accepted envelope in bytes: a payload of 1 MiB in base64, with its signatures. */
export const maxEnvelopeBytes = 1_500_000;

/** Identity of a bundle: SHA-256 of the exact payload bytes of its manifest. */
export function bundleIdOf(manifestPayload: Uint8Array): string {
  return sha256Hex(manifestPayload);
}

/** Subjects of a manifest: the same digests that its predicate explains. */
export function manifestSubjects(predicate: ManifestPredicateWire): Subjects {
  return [
    { name: "catalog", digest: { sha256: predicate.catalog.sha256 } },
    { name: "calibration", digest: { sha256: predicate.calibration.sha256 } },
    { name: "policy", digest: { sha256: predicate.policy.sha256 } },
    { name: "golden", digest: { sha256: predicate.golden.sha256 } },
    { name: "retriever", digest: { dirHash1: predicate.retriever.dir_hash1 } },
    { name: "verifier", digest: { dirHash1: predicate.verifier.dir_hash1 } },
  ];
}
