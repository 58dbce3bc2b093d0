import { canonicalBytes } from "../../base/canonical-json.js";
import { type Sha256, sha256Hex } from "../../base/sha256.js";
import { checkSchema } from "../../documents/check-schema.js";
import {
  maxSequenceStep,
  predicateTypes,
  type RevocationKind,
  RevocationListSchema,
  type RevocationList,
} from "../../documents/signed.js";
import { command, say, SluiceError } from "../../base/error.js";
import { printable } from "../../base/text.js";
import { revocationSubjects } from "../statements.js";
import type { TrustStore } from "../trust-policy.js";
import { parseTime } from "../validity.js";
import { openEnvelope, requireValidKey } from "./open-envelope.js";

/** A revocation list signed by a revoker of the trust policy. */
export interface Revocations {
  readonly predicate: RevocationList;
  /** Milliseconds since 1970 UTC. */
  readonly nextUpdate: number;
  readonly signerKeyIds: readonly string[];
}

/** Identity of a list: two lists with the same number and different content are a fork. */
export interface ListIdentity {
  readonly sequence: number;
  /** SHA-256 of the canonical predicate, regardless of who signed it. */
  readonly sha256: Sha256;
  /** What the list revokes: kind, space, digest; sorted. */
  readonly revoked: readonly string[];
}

export const identityOfList = (predicate: RevocationList): ListIdentity => {
  const revoked = predicate.revoked.map(({ kind, sha256 }) => `${kind} ${sha256}`).sort();
  return { sequence: predicate.sequence, sha256: sha256Hex(canonicalBytes(predicate)), revoked };
};

/** Tests whether something is revoked, by kind and digest. */
export type IsRevoked = (kind: RevocationKind, sha256: string) => boolean;

/** The test for a list; without a list, nothing is revoked. */
export function revokedBy(revocations: Revocations | null): IsRevoked {
  const entries = revocations?.predicate.revoked ?? [];
  const known = new Set(entries.map(({ kind, sha256 }) => `${kind} ${sha256}`));
  return (kind, sha256) => known.has(`${kind} ${sha256}`);
}

/** Maximum number of characters of a reason in a message. */
const longestReason = 200;

/** " (REASON)" as the revoker stated it; empty without one. */
export function revocationReason(revocations: Revocations | null, kind: RevocationKind, sha256: string): string {
  const entry = revocations?.predicate.revoked.find((one) => one.kind === kind && one.sha256 === sha256);
  const reason = printable(entry?.reason ?? "").trim();
  return reason === "" ? "" : ` (${reason.slice(0, longestReason)})`;
}

function checkDates(predicate: RevocationList, trust: TrustStore, now: Date, what: string): number {
  const issuedAt = parseTime(predicate.issued_at, `${what}: issued_at`);
  const nextUpdate = parseTime(predicate.next_update, `${what}: next_update`);
  for (const { revoked_at } of predicate.revoked) parseTime(revoked_at, `${what}: revoked_at`);
  if (nextUpdate <= issuedAt) {
    throw new SluiceError("VALIDITY_INVALID", `${what}: next_update is not later than issued_at`);
  }
  if (issuedAt > now.getTime() + trust.clockSkewMs) {
    throw new SluiceError("NOT_YET_VALID", `${what}: was issued at ${predicate.issued_at}, which is in the future`);
  }
  return nextUpdate;
}

/**
 * Verifies a revocation list: the revoker that it names must have signed it, in that role, with a currently valid key.
 * `requireFresh` checks freshness.
 * @throws {SluiceError} the codes of `openEnvelope`; DOCUMENT_INVALID, IDENTITY_MISMATCH, ROLE_MISMATCH, EXPIRED,
 *   NOT_YET_VALID, VALIDITY_INVALID
 */
export function openRevocations(bytes: Uint8Array, trust: TrustStore, now: Date, what: string): Revocations {
  const { statement, signers } = openEnvelope(bytes, predicateTypes.revocations, trust.keys, what);
  const predicate = checkSchema(RevocationListSchema, statement.predicate, `${what}: predicate`);
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
 * Time from which the list is too old, in milliseconds since 1970 UTC; Infinity if the policy requires no list.
 * @throws {SluiceError} REVOCATIONS_STALE if the trust policy requires a fresh list and there is none
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

/**
 * Requires that a list may follow the highest one seen: its number must not be lower, must not be so much higher that
 * few numbers remain, and must not belong to a different list; it must lack nothing that was revoked.
 * @param seen   null before the first list
 * @param found  null without a list
 * @throws {SluiceError} VERSION_ROLLBACK, REVOCATIONS_JUMP, REVOCATIONS_FORK
 */
export function requireFollows(seen: ListIdentity | null, found: ListIdentity | null): void {
  if (seen === null) return;
  if (found === null || found.sequence < seen.sequence) {
    const given = found === null ? "no revocation list" : `revocation list ${found.sequence}`;
    throw new SluiceError(
      "VERSION_ROLLBACK",
      `found ${given}, expected list ${seen.sequence} or later, which was already seen here`,
      {
        hint: "Restore the current list; revocation lists are never withdrawn.",
      },
    );
  }
  if (found.sequence === seen.sequence) return requireSame(seen, found);
  requireStep(seen.sequence, found.sequence);
  const given = new Set(found.revoked);
  const lost = seen.revoked.find((entry) => !given.has(entry));
  if (lost === undefined) return;
  throw new SluiceError("VERSION_ROLLBACK", `revocation list ${found.sequence} no longer contains the ${lost}`, {
    hint: say`Ask a revoker to merge the lists: ${command`sluice revoke --revocations FILE --revoker NAME --key KEY`}, with the earlier list as FILE, writes the next one.`,
  });
}

function requireSame(seen: ListIdentity, found: ListIdentity): void {
  if (found.sha256 === seen.sha256) return;
  const message = `revocation list ${found.sequence} is ${found.sha256.slice(0, 16)}, another list of this number, ${seen.sha256.slice(0, 16)}, was already seen here`;
  throw new SluiceError("REVOCATIONS_FORK", message, {
    hint: say`Ask a revoker to merge both lists: ${command`sluice revoke --revocations FILE --revoker NAME --key KEY`}, once with each, writes the next one.`,
  });
}

function requireStep(seen: number, found: number): void {
  if (found - seen <= maxSequenceStep) return;
  const message = `revocation list ${found} follows list ${seen}, at most ${maxSequenceStep} numbers may be skipped`;
  throw new SluiceError("REVOCATIONS_JUMP", message, {
    hint: "Ask the revokers who signed this list, and revoke the key that signed it in a list with the next number.",
  });
}

/**
 * Requires that a list may supersede another: it must be newer, must remove nothing, and must not be signed by a key
 * that the other list revoked.
 * @throws {SluiceError} VERSION_ROLLBACK, REVOCATIONS_FORK, REVOCATIONS_JUMP, REVOKED
 */
export function requireSuccessor(before: Revocations, next: Revocations): void {
  const [seen, given] = [identityOfList(before.predicate), identityOfList(next.predicate)];
  requireFollows(seen, given);
  if (given.sha256 === seen.sha256) return;
  const [old, found] = [seen.sequence, given.sequence];
  const revokedBefore = revokedBy(before);
  if (next.signerKeyIds.every((keyId) => revokedBefore("key", keyId))) {
    throw new SluiceError("REVOKED", `revocation list ${found} is signed by a key that list ${old} revokes`);
  }
}
