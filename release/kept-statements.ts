import {
  type StatedReproduction,
  predicateTypes,
  RevocationListSchema,
  type RevocationList,
} from "../src/documents/signed.js";
import type { HistoryEntry } from "../store/history/entry.js";
import type { History } from "../store/history/open.js";
import { listEntries, getBlob } from "../store/history/read.js";
import { readRecord } from "../store/records/read-records.js";
import type { ApprovalRecord } from "../store/records/record-readers.js";
import type { TrustStore } from "../src/trust/trust-policy.js";
import type { BundleId } from "../src/documents/primitives.js";
import { readEnvelope, readStatement } from "../src/trust/verify/open-envelope.js";
import { openRevocations, type Revocations } from "../src/trust/verify/revocations.js";
import { checkSchema } from "../src/documents/check-schema.js";
import { SluiceError } from "../src/base/error.js";

export interface StoredDecision {
  readonly entry: number;
  readonly at: string;
  readonly record: string;
  readonly approver: string;
  readonly environment: string;
  readonly decision: "approve" | "reject";
  readonly not_before: string;
  readonly expires: string;
  readonly reason: string;
  /** Why failed gates were overridden; null if none were. */
  readonly gate_override: string | null;
  /** Digest of the release page that the approver read. */
  readonly page_sha256: string;
  /** What the approver reproduced before signing; null if the decision states nothing. */
  readonly reproduction: StatedReproduction | null;
}

export interface StoredApproval extends ApprovalRecord {
  readonly entry: HistoryEntry;
  readonly bytes: Buffer;
}

/** Approvals and rejections in the history, oldest first. @param until  UTC, whole seconds; by default all */
export function keptApprovals(history: History, until?: string): readonly StoredApproval[] {
  return listEntries(history, { kind: "approval", until }).map((entry): StoredApproval => {
    const { bytes, document } = readRecord(history, "approval", entry.sha256);
    return { entry, bytes, ...document };
  });
}

/** A stored decision without its signature, which is not verified here. */
export function keptDecision({ entry, predicate }: StoredApproval): StoredDecision {
  const { approver, environment, decision, not_before, expires, reason, gate_override, page_sha256 } = predicate;
  const { reproduction = null } = predicate;
  return {
    entry: entry.seq,
    at: entry.at,
    record: entry.sha256,
    approver,
    environment,
    decision,
    not_before,
    expires,
    reason,
    gate_override,
    page_sha256,
    reproduction,
  };
}

/**
 * The revocation lists of the history that the trust policy accepts, in the order of the entries, and a warning for
 * each rejected one.
 */
export function keptLists(history: History, trust: TrustStore) {
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
