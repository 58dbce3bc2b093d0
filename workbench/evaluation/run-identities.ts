import type { Run } from "../../src/domain/scored-record.js";

/** What the scores of a run depend on besides the requests. */
export type RunIdentities = Pick<
  Run,
  "catalogSha256" | "retrieverSha256" | "verifierSha256" | "policySha256" | "serializerSha256"
>;

const names: Readonly<Record<keyof RunIdentities, string>> = {
  catalogSha256: "catalog",
  retrieverSha256: "retriever",
  verifierSha256: "verifier",
  policySha256: "policy",
  serializerSha256: "serializer",
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
