import type { Sha256 } from "../../src/digest/sha256.js";
import type { ManifestPredicateWire } from "../../src/domain/signed.js";

/** Digests of everything that a manifest pins, as approvers read them. */
export function contentDigests(predicate: ManifestPredicateWire): { readonly name: string; readonly sha256: Sha256 }[] {
  return [
    { name: "catalog", sha256: predicate.catalog.sha256 },
    { name: "calibration", sha256: predicate.calibration.sha256 },
    { name: "policy", sha256: predicate.policy.sha256 },
    { name: "retriever (dirHash1)", sha256: predicate.retriever.dir_hash1 },
    { name: "verifier (dirHash1)", sha256: predicate.verifier.dir_hash1 },
    { name: "golden decisions", sha256: predicate.golden.sha256 },
    ...(predicate.vectors === null ? [] : [{ name: "vectors", sha256: predicate.vectors.sha256 }]),
    ...predicate.evidence.map(({ name, sha256 }) => ({ name: `evidence ${name}`, sha256 })),
  ];
}
