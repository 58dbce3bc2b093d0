import { requireCurrentTrust, type TrustedKey } from "../../src/artifacts/trust-policy.js";
import type { BundleId } from "../../src/domain/primitives.js";
import { standingText } from "../../src/artifacts/verify/count-approvals.js";
import { type ApprovalQuestion, judgeDecision } from "../../src/artifacts/verify/judge-approval.js";
import { claimDigests } from "../../src/artifacts/verify/open-manifest.js";
import { revokedBy } from "../../src/artifacts/verify/revocations.js";
import type { ApprovalPredicateWire } from "../../src/domain/signed.js";
import type { ErrorCode } from "../../src/errors/codes.js";
import { SluiceError } from "../../src/errors/error.js";
import type { ReleaseStanding } from "./release-standing.js";

export interface IntendedDecision {
  readonly bundleId: BundleId;
  readonly predicate: ApprovalPredicateWire;
  /** Key that will sign; null before it is known: any key of the approver then suffices. */
  readonly keyId: string | null;
  /** Signs even if an approval of the same person already counts. */
  readonly renew: boolean;
}

/**
 * Refuses a decision that would not count, before anybody signs it, by the rules of a server start.
 * @param now  when it is signed
 * @throws {SluiceError} APPROVAL_NOT_COUNTED; details.reason is the code of the judgement
 */
export function requireCounted(standing: ReleaseStanding, intended: IntendedDecision, now: Date): void {
  const { predicate, keyId } = intended;
  const { trust, manifest, count, revocations } = standing;
  if (manifest === null || count === null) {
    throw notCounted(standing, "IDENTITY_MISMATCH", standing.problems.join("; "), predicate);
  }
  const isRevoked = revokedBy(revocations);
  const { environment } = standing.result;
  const { bundleId, producers, predicate: signed } = manifest;
  const claim = claimDigests(signed);
  const question: ApprovalQuestion = { trust, bundleId, producers, claim, environment, now, isRevoked };
  const own = trust.keys.filter((key) => key.principal === predicate.approver);
  const signers = signersOf(own, trust.keys, keyId).filter((key) => !isRevoked("key", key.keyId));
  const [code, why] = refusal(standing, { intended, own, signers, question });
  if (code !== null) throw notCounted(standing, code, why, predicate);
}

function signersOf(own: readonly TrustedKey[], all: readonly TrustedKey[], keyId: string | null) {
  return keyId === null ? own : all.filter((key) => key.keyId === keyId);
}

interface Asked {
  readonly intended: IntendedDecision;
  readonly own: readonly TrustedKey[];
  readonly signers: readonly TrustedKey[];
  readonly question: ApprovalQuestion;
}

type Refusal = readonly [ErrorCode, string] | readonly [null, ""];

function refusal(standing: ReleaseStanding, { intended, own, signers, question }: Asked): Refusal {
  const { predicate, renew } = intended;
  const { approver, decision, environment } = predicate;
  if (own.length === 0) return ["ROLE_MISMATCH", `"${approver}" is not a person in the trust policy`];
  if (standing.count?.required === null) {
    return ["WRONG_ENVIRONMENT", `the trust policy names no approvers for environment "${environment}"`];
  }
  if (!signers.some((key) => key.principal === approver)) {
    return ["SIGNATURE_INVALID", `the trust policy does not list this key for "${approver}", or it is revoked`];
  }
  try {
    requireCurrentTrust(question.trust, question.now);
    judgeDecision({ file: decision === "approve" ? "approval" : "rejection", predicate, signers }, question);
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) throw thrown;
    return [thrown.code, thrown.message];
  }
  if (renew || !addsNothing(standing, predicate)) return [null, ""];
  return ["THRESHOLD_NOT_MET", `an approval by "${approver}" already counts; each person counts once`];
}

/** An approval that states a reproduction supersedes one by the same person that does not. */
function addsNothing({ count }: ReleaseStanding, { approver, decision, reproduction }: ApprovalPredicateWire): boolean {
  const like = (reproduction === undefined ? count?.counted : count?.derived) ?? [];
  return decision === "approve" && like.some(({ principal }) => principal === approver);
}

function notCounted(
  { count }: ReleaseStanding,
  reason: ErrorCode,
  why: string,
  { approver, decision }: ApprovalPredicateWire,
): SluiceError {
  const what = decision === "approve" ? "approval" : "rejection";
  const standing = count === null ? "" : `; ${standingText(count)}`;
  const message = `this ${what} by "${approver}" would not count, nothing was signed: ${why}${standing}`;
  const canSign = count?.canSign ?? [];
  const able =
    canSign.length === 0 ? "Nobody else can sign; ask the roots of the trust policy." : `Ask: ${canSign.join(", ")}.`;
  const renewable = reason === "THRESHOLD_NOT_MET" ? " To extend an approval before it expires, add --renew." : "";
  return new SluiceError("APPROVAL_NOT_COUNTED", message, {
    hint: `${able}${renewable}`,
    details: { reason, can_sign: canSign },
  });
}
