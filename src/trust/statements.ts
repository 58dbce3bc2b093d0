import { canonicalBytes } from "../base/canonical-json.js";
import { sha256Hex } from "../base/sha256.js";
import type { BundleId } from "../documents/primitives.js";
import type { Manifest, RevocationList, Statement } from "../documents/signed.js";

type Subjects = Statement["subject"];

/** Maximum size of an envelope in bytes: a payload of 1 MiB in base64, with its signatures. */
export const maxEnvelopeBytes = 1_500_000;

/** Identity of a bundle: SHA-256 of the exact payload bytes of its manifest. */
export function bundleIdOf(manifestPayload: Uint8Array): BundleId {
  return sha256Hex(manifestPayload) as BundleId;
}

/** Subjects of a manifest: the digests that also appear in its predicate. */
export function manifestSubjects(predicate: Manifest): Subjects {
  return [
    { name: "catalog", digest: { sha256: predicate.catalog.sha256 } },
    { name: "calibration", digest: { sha256: predicate.calibration.sha256 } },
    { name: "policy", digest: { sha256: predicate.policy.sha256 } },
    { name: "golden", digest: { sha256: predicate.golden.sha256 } },
    ...(predicate.vectors === null ? [] : [{ name: "vectors", digest: { sha256: predicate.vectors.sha256 } }]),
    { name: "retriever", digest: { dirHash1: predicate.retriever.dir_hash1 } },
    { name: "verifier", digest: { dirHash1: predicate.verifier.dir_hash1 } },
  ];
}

/** Subject of a revocation list: the digest of its entries. */
export function revocationSubjects(predicate: RevocationList): Subjects {
  return [{ name: "revocations", digest: { sha256: sha256Hex(canonicalBytes(predicate.revoked)) } }];
}

/** Every digest in a manifest that can be revoked as an artifact. */
export function artifactDigests(predicate: Manifest): ReadonlyMap<string, string> {
  const documents = (["catalog", "calibration", "policy", "golden", "vectors"] as const).flatMap((name) => {
    const stated = predicate[name];
    return stated === null ? [] : [[stated.sha256, name] as const];
  });
  const models = (["retriever", "verifier"] as const).flatMap((role) => [
    [predicate[role].dir_hash1, role] as const,
    ...predicate[role].files.map(({ path, sha256 }) => [sha256, `${role} ${path}`] as const),
  ]);
  const evidence = predicate.evidence.map(({ name, sha256 }) => [sha256, `evidence ${name}`] as const);
  return new Map([...documents, ...models, ...evidence]);
}
