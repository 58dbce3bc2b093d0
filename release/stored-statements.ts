import { type Approval, predicateTypes, RevocationListSchema, type RevocationList } from "../src/documents/signed.js";
import type { History } from "../store/history/open.js";
import { listEntries, getBlob } from "../store/history/read.js";
import { readRecord } from "../store/records/read-records.js";
import type { TrustStore } from "../src/trust/trust-policy.js";
import type { BundleId } from "../src/documents/primitives.js";
import type { Sha256 } from "../src/base/sha256.js";
import { readEnvelope, readStatement } from "../src/trust/verify/open-envelope.js";
import { openRevocations, type Revocations } from "../src/trust/verify/revocations.js";
import { checkSchema } from "../src/documents/check-schema.js";
import { SluiceError } from "../src/base/error.js";

/** A decision in the history; its signature is verified when it is judged. */
export interface StoredApproval extends Approval {
  /** Entry of the history, when it was added (UTC), and the id of its record. */
  readonly entry: number;
  readonly at: string;
  readonly record: Sha256;
}

/** Approvals and rejections of one bundle in the history, oldest first, with the signed bytes. */
export function storedApprovals(history: History, bundleId: BundleId) {
  return listEntries(history, { kind: "approval" }).flatMap(({ seq: entry, at, sha256: record }) => {
    const { bytes, document } = readRecord(history, "approval", record);
    const approval: StoredApproval = { entry, at, record, ...document.predicate };
    return document.bundleId === bundleId ? [{ approval, bytes }] : [];
  });
}

/**
 * The revocation lists of the history that the trust policy accepts, in the order of the entries, and a warning for
 * each rejected one.
 */
export function storedLists(history: History, trust: TrustStore) {
  const lists: RevocationList[] = [];
  const warnings: string[] = [];
  for (const { seq, sha256 } of listEntries(history, { kind: "revocation" })) {
    try {
      lists.push(openList(getBlob(history, sha256), trust, `revocation list of entry ${seq}`).predicate);
    } catch (thrown) {
      if (!(thrown instanceof SluiceError)) throw thrown;
      warnings.push(`not taken into account: ${thrown.code}: ${thrown.message}`);
    }
  }
  return { lists, warnings };
}

/** Verified as of its time of issue, because a revocation outlives the key that signed it. */
function openList(bytes: Buffer, trust: TrustStore, name: string): Revocations {
  return openRevocations(bytes, trust, new Date(readList(bytes, name).issued_at), name);
}

/** A recorded list, without its signature checked. */
function readList(bytes: Buffer, name: string): RevocationList {
  const { predicate } = readStatement(readEnvelope(bytes, name).payload, predicateTypes.revocations, name);
  return checkSchema(RevocationListSchema, predicate, name);
}

/**
 * The recorded revocation of a bundle, whoever signed it; null if there is none. It informs approvers, and decides nothing:
 * servers judge the signed lists.
 */
export function recordedRevocation(history: History, bundleId: BundleId): { readonly reason: string } | null {
  for (const { seq, sha256 } of listEntries(history, { kind: "revocation" })) {
    const { revoked } = readList(getBlob(history, sha256), `revocation list of entry ${seq}`);
    const own = revoked.find((one) => one.kind === "bundle" && one.sha256 === bundleId);
    if (own !== undefined) return own;
  }
  return null;
}
