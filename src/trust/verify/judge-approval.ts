import { sha256Hex } from "../../base/sha256.js";
import type { BundleId } from "../../documents/primitives.js";
import { checkSchema } from "../../documents/check-schema.js";
import {
  ApprovalSchema,
  type Approval,
  maxApprovalBytes,
  predicateTypes,
  type TrustPolicy,
} from "../../documents/signed.js";
import { SluiceError } from "../../base/error.js";
import { printable } from "../../base/text.js";
import type { TrustedKey, TrustStore } from "../trust-policy.js";
import { parseTime, type Validity, validityState } from "../validity.js";
import { type OpenedEnvelope, openEnvelope, requireValidKey } from "./open-envelope.js";
import type { ClaimDigests } from "./open-manifest.js";
import type { IsRevoked } from "./revocations.js";

const dayMs = 24 * 60 * 60 * 1000;

type ApproverRule = TrustPolicy["roles"]["approver"][number];

/** The bundle, environment and time for which approvals are judged. */
export interface ApprovalQuestion {
  readonly trust: TrustStore;
  readonly bundleId: BundleId;
  /** Principals who signed the manifest; they never count. */
  readonly producers: ReadonlySet<string>;
  /** Expected result of a reproduction. */
  readonly claim: ClaimDigests;
  readonly environment: string;
  readonly now: Date;
  readonly isRevoked: IsRevoked;
}

/** An approval or a rejection by an authorised person, whose signature was verified. */
export interface VerifiedApproval extends Approval {
  /** Path inside the bundle, for messages. */
  readonly file: string;
  /** Start of its validity, in milliseconds since 1970 UTC. */
  readonly notBefore: number;
  /** When it stops counting: its own expiry or that of the key, in milliseconds since 1970 UTC, without clock skew. */
  readonly countsUntil: number;
}

/** Approvers of the environment, and how many must approve. */
export function approverRule({ trust, environment }: ApprovalQuestion): ApproverRule | undefined {
  return trust.policy.roles.approver.find((rule) => rule.environment === environment);
}

function requireSubject(
  subject: readonly { digest: Record<string, string> }[],
  bundleId: BundleId,
  file: string,
): void {
  const [only, ...more] = subject;
  const digests = Object.entries(only?.digest ?? {});
  const named = digests.length === 1 && more.length === 0 ? digests[0] : undefined;
  if (named?.[0] === "sha256" && named[1] === bundleId) return;
  throw new SluiceError(
    "APPROVAL_MISMATCH",
    `${file}: approves ${named?.[1] ?? "several subjects"}, not bundle ${bundleId}`,
  );
}

function requireRole(approver: string, signers: readonly TrustedKey[], question: ApprovalQuestion, file: string): void {
  const name = printable(approver);
  if (!signers.some((key) => key.principal === approver)) {
    const isKnown = question.trust.keys.some((key) => key.principal === approver);
    const why = isKnown
      ? `no key of its approver "${name}" signed it`
      : `"${name}" is not a person in the trust policy`;
    throw new SluiceError("SIGNATURE_INVALID", `${file}: ${why}`);
  }
  if (question.producers.has(approver)) {
    throw new SluiceError("APPROVAL_NOT_COUNTED", `${file}: "${name}" produced the bundle and cannot approve it`);
  }
  const rule = approverRule(question);
  if (rule?.principals.includes(approver) !== true) {
    const where = printable(question.environment);
    throw new SluiceError("ROLE_MISMATCH", `${file}: "${name}" is not an approver of environment "${where}"`);
  }
}

function requireDates(validity: Validity, question: ApprovalQuestion, file: string): void {
  const { trust, now } = question;
  const days = trust.policy.limits.max_approval_days;
  if (validity.expires <= validity.notBefore) {
    throw new SluiceError("VALIDITY_INVALID", `${file}: the approval ends before it begins`);
  }
  if (validity.expires - validity.notBefore > days * dayMs) {
    throw new SluiceError("VALIDITY_INVALID", `${file}: the approval is valid for more than ${days} days`);
  }
  const state = validityState(validity, now.getTime(), trust.clockSkewMs);
  if (state === "VALID") return;
  const moment = new Date(state === "EXPIRED" ? validity.expires : validity.notBefore).toISOString();
  const text = state === "EXPIRED" ? `the approval expired at ${moment}` : `the approval is not valid before ${moment}`;
  throw new SluiceError(state, `${file}: ${text}`);
}

/** Refuses a reproduction of a different claim, because it would make the approval look stronger than it is. */
function requireOwnClaim({ reproduction }: Approval, claim: ClaimDigests, file: string): void {
  if (reproduction === undefined) return;
  const { calibration_sha256: calibration, evaluation_sha256: evaluation } = reproduction;
  if (calibration === claim.calibration && evaluation === claim.evaluation) return;
  const expected = `calibration ${claim.calibration} and evaluation ${claim.evaluation ?? "(none)"}`;
  const message = `states a reproduction of calibration ${calibration} and evaluation ${evaluation}, expected ${expected} of the bundle`;
  throw new SluiceError("IDENTITY_MISMATCH", `${file}: ${message}`);
}

/** Signers whose keys still count. An approval has no effect if it was revoked, or if all its keys were. */
function requireUnrevoked(opened: OpenedEnvelope, isRevoked: IsRevoked, file: string): readonly TrustedKey[] {
  const digest = sha256Hex(opened.payload);
  if (isRevoked("approval", digest)) {
    throw new SluiceError("REVOKED", `${file}: approval ${digest} is revoked`);
  }
  const signers = opened.signers.filter(({ keyId }) => !isRevoked("key", keyId));
  if (signers.length > 0) return signers;
  throw new SluiceError("REVOKED", `${file}: the key that signed it is revoked`);
}

/**
 * Judges the content and the signers of a decision, after the signatures are known or before they are made. A rejection
 * takes effect regardless of dates, so that stopping a release is easy.
 * @throws {SluiceError} APPROVAL_MISMATCH, SIGNATURE_INVALID, APPROVAL_NOT_COUNTED, ROLE_MISMATCH, VALIDITY_INVALID,
 *   VALIDITY_INVALID, EXPIRED, NOT_YET_VALID, DOCUMENT_INVALID, IDENTITY_MISMATCH (a reproduction of a different claim)
 */
export function judgeDecision(
  approval: Approval,
  signers: readonly TrustedKey[],
  question: ApprovalQuestion,
  file: string,
): VerifiedApproval {
  const { trust, environment, now } = question;
  if (approval.environment !== environment) {
    const [found, wanted] = [printable(approval.environment), printable(environment)];
    throw new SluiceError("APPROVAL_MISMATCH", `${file}: is for environment "${found}", not "${wanted}"`);
  }
  const { approver } = approval;
  requireRole(approver, signers, question, file);
  const notBefore = parseTime(approval.not_before, `${file}: not_before`);
  const expires = parseTime(approval.expires, `${file}: expires`);
  if (approval.decision === "reject") return { ...approval, file, notBefore, countsUntil: expires };
  requireDates({ notBefore, expires }, question, file);
  requireOwnClaim(approval, question.claim, file);
  const own = signers.filter((key) => key.principal === approver);
  const key = requireValidKey(own, trust, now, file);
  return { ...approval, file, notBefore, countsUntil: Math.min(expires, key.expires) };
}

/** Judges one envelope. @throws {SluiceError} why it does not count; TOO_LARGE before it is parsed */
export function judgeApproval(file: string, bytes: Uint8Array, question: ApprovalQuestion): VerifiedApproval {
  if (bytes.length > maxApprovalBytes) {
    throw new SluiceError("TOO_LARGE", `${file}: ${bytes.length} bytes, at most ${maxApprovalBytes} are accepted`);
  }
  const opened = openEnvelope(bytes, predicateTypes.approval, question.trust.keys, file);
  const { statement } = opened;
  const signers = requireUnrevoked(opened, question.isRevoked, file);
  const predicate = checkSchema(ApprovalSchema, statement.predicate, `${file}: predicate`);
  requireSubject(statement.subject, question.bundleId, file);
  return judgeDecision(predicate, signers, question, file);
}
