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
import type { Sha256 } from "../src/base/sha256.js";
import type { BundleId } from "../src/documents/primitives.js";
import { readEnvelope, readStatement } from "../src/trust/verify/open-envelope.js";
import { openRevocations, type Revocations } from "../src/trust/verify/revocations.js";
import { checkSchema } from "../src/documents/check-schema.js";
import { SluiceError } from "../src/base/error.js";

/** A signed decision about a bundle, as stored in the history. */
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

/** An approval or a rejection in the history. */
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

/** One revocation and where it is recorded. */
export interface StoredRevocation {
  readonly kind: string;
  readonly sha256: Sha256;
  readonly revoked_at: string;
  readonly reason: string;
  readonly revoker: string;
  /** First history entry that contains it; null if only the list file does. */
  readonly entry: number | null;
}

/** The revocations that were in force at a time. */
interface RevocationsOnDay {
  /** Input to the checks of a server start; null if no list is known. */
  readonly list: Revocations | null;
  readonly revoked: readonly StoredRevocation[];
  /** One warning for each list that the trust policy rejects. Such a list revokes nothing. */
  readonly warnings: readonly string[];
}

interface KnownList {
  readonly revocations: Revocations;
  readonly entry: number | null;
}

/**
 * The revocation lists of the history that the trust policy accepts, in the order of the entries, and a warning for
 * each rejected one.
 */
export function keptLists(history: History, trust: TrustStore) {
  const { lists, warnings } = knownLists(history, trust, null);
  return { lists: lists.map(({ revocations }) => revocations.predicate), warnings };
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
export function recordedRevocation(history: History, bundleId: BundleId): Pick<StoredRevocation, "reason"> | null {
  for (const { seq, sha256 } of listEntries(history, { kind: "revocation" })) {
    const { revoked } = readList(getBlob(history, sha256), `revocation list of entry ${seq}`);
    const own = revoked.find((one) => one.kind === "bundle" && one.sha256 === bundleId);
    if (own !== undefined) return own;
  }
  return null;
}

function knownLists(history: History, trust: TrustStore, file: Buffer | null) {
  const kept = listEntries(history, { kind: "revocation" }).map(({ seq, sha256 }) => {
    return { entry: seq, name: `revocation list of entry ${seq}`, bytes: getBlob(history, sha256) };
  });
  const given = file === null ? [] : [{ entry: null, name: "revocation list", bytes: file }];
  const lists: KnownList[] = [];
  const warnings: string[] = [];
  for (const { entry, name, bytes } of [...kept, ...given]) {
    try {
      lists.push({ revocations: openList(bytes, trust, name), entry });
    } catch (thrown) {
      if (!(thrown instanceof SluiceError)) throw thrown;
      warnings.push(`not taken into account: ${thrown.code}: ${thrown.message}`);
    }
  }
  return { lists, warnings };
}

type Revoked = RevocationList["revoked"][number];

function revokedUntil(lists: readonly KnownList[], on: string): readonly (Revoked & StoredRevocation)[] {
  const first = new Map<string, Revoked & StoredRevocation>();
  for (const { revocations, entry } of lists) {
    const { revoker, revoked } = revocations.predicate;
    for (const one of revoked) {
      const key = `${one.kind} ${one.sha256}`;
      if (one.revoked_at <= on && !first.has(key)) first.set(key, { ...one, revoker, entry });
    }
  }
  return [...first.values()];
}

/**
 * Everything revoked by a given time, according to the lists in the history and one that the caller supplies. A list
 * recorded later also covers earlier days.
 * @param on  UTC, whole seconds
 */
export function revocationsOn(history: History, trust: TrustStore, on: string, file: Buffer | null): RevocationsOnDay {
  const { lists, warnings } = knownLists(history, trust, file);
  const revoked = revokedUntil(lists, on);
  const inForce = lists.filter(({ revocations }) => revocations.predicate.issued_at <= on).at(-1);
  const base = (inForce ?? (revoked.length > 0 ? lists.at(-1) : undefined))?.revocations;
  const entries = revoked.map(({ sequence, kind, sha256, revoked_at, reason }) => {
    return { sequence, kind, sha256, revoked_at, reason };
  });
  const list = base === undefined ? null : { ...base, predicate: { ...base.predicate, revoked: entries } };
  const shown = revoked.map(({ kind, sha256, revoked_at, reason, revoker, entry }) => {
    return { kind, sha256, revoked_at, reason, revoker, entry };
  });
  return { list, revoked: shown, warnings };
}
