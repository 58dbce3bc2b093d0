import { canonicalBytes } from "../../digest/canonical-json.js";
import { sha256Hex } from "../../digest/sha256.js";
import { checkSchema } from "../../domain/check-schema.js";
import {
  maxSequenceStep,
  predicateTypes,
  type RevocationKind,
  RevocationsPredicateSchema,
  type RevocationsPredicateWire,
} from "../../domain/signed.js";
import { SluiceError } from "../../errors/error.js";
import { printable } from "../printable.js";
import { revocationSubjects } from "../statements.js";
import type { TrustStore } from "../trust-policy.js";
import { parseTime } from "../validity.js";
import { openEnvelope } from "./open-envelope.js";
import { requireValidKey } from "./valid-key.js";

/** A revocation list that a revoker of the trust policy signed. */
export interface Revocations {
  readonly predicate: RevocationsPredicateWire;
  /** Milliseconds since 1970 UTC. */
  readonly nextUpdate: number;
  /** Ids of the keys that signed the list. */
  readonly signerKeyIds: readonly string[];
}

/** Whether something is revoked, by kind and digest. */
export type IsRevoked = (kind: RevocationKind, sha256: string) => boolean;

/** The question that a list answers; without a list nothing is revoked. */
export function revokedBy(revocations: Revocations | null): IsRevoked {
  const entries = revocations?.predicate.revoked ?? [];
  const known = new Set(entries.map(({ kind, sha256 }) => `${kind} ${sha256}`));
  return (kind, sha256) => known.has(`${kind} ${sha256}`);
}

function checkDates(predicate: RevocationsPredicateWire, trust: TrustStore, now: Date, what: string): number {
  const issuedAt = parseTime(predicate.issued_at, `${what}: issued_at`);
  const nextUpdate = parseTime(predicate.next_update, `${what}: next_update`);
  for (const { revoked_at } of predicate.revoked) parseTime(revoked_at, `${what}: revoked_at`);
  if (nextUpdate <= issuedAt) {
    throw new SluiceError("VALIDITY_ORDER", `${what}: next_update is not later than issued_at`);
  }
  if (issuedAt > now.getTime() + trust.clockSkewMs) {
    throw new SluiceError("NOT_YET_VALID", `${what}: was issued at ${predicate.issued_at}, which is in the future`);
  }
  return nextUpdate;
}

/**
 * Verifies a revocation list: signed by the revoker that it names, in that role, with a key that is valid now.
 * `requireFresh` checks freshness.
 * @throws {SluiceError} the codes of `openEnvelope`; SCHEMA_INVALID, IDENTITY_MISMATCH, ROLE_MISMATCH, EXPIRED,
 *   NOT_YET_VALID, VALIDITY_ORDER
 */
export function openRevocations(bytes: Uint8Array, trust: TrustStore, now: Date, what: string): Revocations {
  const { statement, signers } = openEnvelope(bytes, predicateTypes.revocations, trust.keys, what);
  const predicate = checkSchema(RevocationsPredicateSchema, statement.predicate, `${what}: predicate`);
  const subjects = canonicalBytes(revocationSubjects(predicate));
  if (sha256Hex(canonicalBytes(statement.subject)) !== sha256Hex(subjects)) {
    throw new SluiceError("IDENTITY_MISMATCH", `${what}: the subject does not match the digest of the list`);
  }
  const { revoker } = predicate;
  const own = signers.filter((key) => key.principal === revoker);
  if (own.length === 0 || !trust.policy.roles.revoker.includes(revoker)) {
    throw new SluiceError("ROLE_MISMATCH", `${what}: "${printable(revoker)}" is not a revoker, or did not sign it`);
  }
  requireValidKey(own, trust, now, what);
  const nextUpdate = checkDates(predicate, trust, now, what);
  return { predicate, nextUpdate, signerKeyIds: signers.map((key) => key.keyId) };
}

/**
 * Moment from which the list is too old, milliseconds since 1970 UTC; infinite where the policy demands none.
 * @throws {SluiceError} REVOCATIONS_STALE when the trust policy demands a fresh list and this is none
 */
export function requireFresh(revocations: Revocations | null, trust: TrustStore, now: Date): number {
  if (trust.policy.limits.revocations === "optional") return Number.POSITIVE_INFINITY;
  const hint = "Ask a revoker for the current list; the command revoke renews it";
  if (revocations === null) {
    throw new SluiceError("REVOCATIONS_STALE", "the trust policy requires a revocation list, but none was given", {
      hint,
    });
  }
  const end = revocations.nextUpdate + trust.clockSkewMs;
  if (now.getTime() < end) return end;
  const { sequence, next_update } = revocations.predicate;
  throw new SluiceError("REVOCATIONS_STALE", `revocation list ${sequence}: a newer one was due at ${next_update}`, {
    hint,
  });
}

/** Whether a list may follow the highest one that was seen; any list may be the first (`seen` 0). */
export const mayFollow = (seen: number, found: number): boolean =>
  found >= seen && (seen === 0 || found - seen <= maxSequenceStep);

/**
 * The number of a list may not be below the one that was seen, nor so far above it that few numbers are left.
 * @param seen  highest number that was seen, 0 for none
 * @throws {SluiceError} REVOCATIONS_ROLLBACK, REVOCATIONS_JUMP
 */
export function requireSequence(seen: number, found: number): void {
  if (found < seen) {
    const given = found === 0 ? "no revocation list" : `revocation list ${found}`;
    throw new SluiceError(
      "REVOCATIONS_ROLLBACK",
      `found ${given}, expected list ${seen} or later, which was already seen here`,
      {
        hint: "Restore the current list; revocation lists are never withdrawn.",
      },
    );
  }
  if (mayFollow(seen, found)) return;
  const message = `revocation list ${found} follows list ${seen}, at most ${maxSequenceStep} numbers may be skipped`;
  throw new SluiceError("REVOCATIONS_JUMP", message, {
    hint: "Ask the revokers who signed this list, and revoke the key that signed it in a list with the next number.",
  });
}

/**
 * A list may supersede another when it is newer, removes nothing, and was not signed by a key that the other revoked.
 * @throws {SluiceError} REVOCATIONS_ROLLBACK, REVOCATIONS_JUMP, REVOKED
 */
export function requireSuccessor(before: Revocations, next: Revocations): void {
  if (canonicalBytes(before.predicate).equals(canonicalBytes(next.predicate))) return;
  const [old, found] = [before.predicate.sequence, next.predicate.sequence];
  if (found <= old) {
    throw new SluiceError("REVOCATIONS_ROLLBACK", `revocation list ${found} does not follow list ${old}`);
  }
  requireSequence(old, found);
  const isRevoked = revokedBy(next);
  const lost = before.predicate.revoked.find(({ kind, sha256 }) => !isRevoked(kind, sha256));
  if (lost !== undefined) {
    throw new SluiceError(
      "REVOCATIONS_ROLLBACK",
      `revocation list ${found} no longer contains the ${lost.kind} ${lost.sha256}`,
    );
  }
  const revokedBefore = revokedBy(before);
  if (next.signerKeyIds.every((keyId) => revokedBefore("key", keyId))) {
    throw new SluiceError("REVOKED", `revocation list ${found} is signed by a key that list ${old} revokes`);
  }
}
