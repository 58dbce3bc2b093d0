import type { Run } from "../../src/documents/scored-record.js";

/** What the scores of a run depend on in addition to the requests. */
export type RunIdentities = Pick<
  Run,
  "catalog_sha256" | "retriever_sha256" | "verifier_sha256" | "policy_sha256" | "serializer_sha256"
>;

const names: Readonly<Record<keyof RunIdentities, string>> = {
  catalog_sha256: "catalog",
  retriever_sha256: "retriever",
  verifier_sha256: "verifier",
  policy_sha256: "policy",
  serializer_sha256: "serializer",
};

/**
 * Names of the identities in which two runs differ; empty when the thresholds of one apply to the other. A run
 * without a recorded serializer matches any.
 */
export function differingIdentities(a: RunIdentities, b: RunIdentities): readonly string[] {
  return (Object.keys(names) as readonly (keyof RunIdentities)[])
    .filter((key) => a[key] !== b[key] && a[key] !== undefined && b[key] !== undefined)
    .map((key) => names[key]);
}
