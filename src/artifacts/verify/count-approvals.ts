import { sha256Hex } from "../../digest/sha256.js";
import { checkSchema } from "../../domain/check-schema.js";
import { ApprovalPredicateSchema, type ApprovalPredicateWire, predicateTypes } from "../../domain/signed.js";
import { SluiceError } from "../../errors/error.js";
import { printable } from "../printable.js";
import type { TrustedKey, TrustStore } from "../trust-policy.js";
import { parseTime, type Validity, validityState } from "../validity.js";
import { type OpenedEnvelope, openEnvelope } from "./open-envelope.js";
import { type BundleProblem, problem, problemOf } from "./problem.js";
import type { IsRevoked } from "./revocations.js";
import { requireValidKey } from "./valid-key.js";

const dayMs = 24 * 60 * 60 * 1000;

/** What is to be approved, by whom, and when the question is asked. */
export interface ApprovalQuestion {
  readonly trust: TrustStore;
  readonly bundleId: string;
  /** Principals who signed the manifest; they never count. */
  readonly producers: ReadonlySet<string>;
  readonly environment: string;
  readonly now: Date;
  readonly isRevoked: IsRevoked;
}

export interface ApprovalFile {
  /** Path inside the bundle, for messages. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** An approval that counts. */
export interface CountedApproval extends Validity {
  readonly principal: string;
  /** When it stops counting: its own end or that of the key, milliseconds since 1970 UTC, clock skew not added. */
  readonly countsUntil: number;
}

export interface ApprovalCount {
  /** One per person. */
  readonly counted: readonly CountedApproval[];
  readonly required: number;
  /** Empty when the bundle is approved. */
  readonly problems: readonly BundleProblem[];
  /** Why single envelopes did not count. */
  readonly refusals: readonly BundleProblem[];
  /** Milliseconds since 1970 UTC from which too few approvals are left; null when not approved. */
  readonly endsAt: number | null;
}

interface Decision extends CountedApproval {
  readonly file: string;
  readonly decision: ApprovalPredicateWire["decision"];
}

function requireSubject(subject: readonly { digest: Record<string, string> }[], bundleId: string, file: string): void {
  const [only, ...more] = subject;
  const digests = Object.entries(only?.digest ?? {});
  const named = digests.length === 1 && more.length === 0 ? digests[0] : undefined;
  if (named?.[0] === "sha256" && named[1] === bundleId) return;
  throw new SluiceError("WRONG_BUNDLE", `${file}: approves ${named?.[1] ?? "several things"}, not bundle ${bundleId}`);
}

function requireRole(approver: string, signers: readonly TrustedKey[], question: ApprovalQuestion, file: string): void {
  const name = printable(approver);
  if (!signers.some((key) => key.principal === approver)) {
    throw new SluiceError("SIGNATURE_INVALID", `${file}: no key of its approver "${name}" signed it`);
  }
  if (question.producers.has(approver)) {
    throw new SluiceError("SELF_APPROVAL", `${file}: "${name}" produced the bundle and cannot approve it`);
  }
  const rule = approverRule(question);
  if (rule?.principals.includes(approver) !== true) {
    const where = printable(question.environment);
    throw new SluiceError("ROLE_MISMATCH", `${file}: "${name}" is not an approver of environment "${where}"`);
  }
}

function requireDates(validity: Validity, question: ApprovalQuestion, file: string): void {
  const { trust, now } = question;
  const days = trust.policy.limits.maxApprovalDays;
  if (validity.expires <= validity.notBefore) {
    throw new SluiceError("VALIDITY_ORDER", `${file}: the approval ends before it begins`);
  }
  if (validity.expires - validity.notBefore > days * dayMs) {
    throw new SluiceError("VALIDITY_TOO_LONG", `${file}: the approval is valid for more than ${days} days`);
  }
  const state = validityState(validity, now.getTime(), trust.clockSkewMs);
  if (state === "VALID") return;
  const moment = new Date(state === "EXPIRED" ? validity.expires : validity.notBefore).toISOString();
  const text = state === "EXPIRED" ? `the approval expired at ${moment}` : `the approval is not valid before ${moment}`;
  throw new SluiceError(state, `${file}: ${text}`);
}

/** The signers whose keys still count. A revoked approval, and one that only revoked keys signed, has no effect. */
function requireUnrevoked(opened: OpenedEnvelope, isRevoked: IsRevoked, file: string): readonly TrustedKey[] {
  const digest = sha256Hex(opened.payload);
  if (isRevoked("approval", digest)) {
    throw new SluiceError("REVOKED", `${file}: approval ${digest} is revoked`);
  }
  const signers = opened.signers.filter(({ keyId }) => !isRevoked("key", keyId));
  if (signers.length > 0) return signers;
  throw new SluiceError("REVOKED", `${file}: the key that signed it is revoked`);
}

/** Judges one envelope. A rejection holds whatever the dates say: stopping is easy. */
function judge({ file, bytes }: ApprovalFile, question: ApprovalQuestion): Decision {
  const { trust, environment, now } = question;
  const opened = openEnvelope(bytes, predicateTypes.approval, trust.keys, file);
  const { statement } = opened;
  const signers = requireUnrevoked(opened, question.isRevoked, file);
  const predicate = checkSchema(ApprovalPredicateSchema, statement.predicate, `${file}: predicate`);
  requireSubject(statement.subject, question.bundleId, file);
  if (predicate.environment !== environment) {
    const [found, wanted] = [printable(predicate.environment), printable(environment)];
    throw new SluiceError("WRONG_ENVIRONMENT", `${file}: is for environment "${found}", not "${wanted}"`);
  }
  const { approver: principal, decision } = predicate;
  requireRole(principal, signers, question, file);
  const notBefore = parseTime(predicate.not_before, `${file}: not_before`);
  const expires = parseTime(predicate.expires, `${file}: expires`);
  if (decision === "reject") return { file, decision, principal, notBefore, expires, countsUntil: expires };
  requireDates({ notBefore, expires }, question, file);
  const own = signers.filter((key) => key.principal === principal);
  const key = requireValidKey(own, trust, now, file);
  return { file, decision, principal, notBefore, expires, countsUntil: Math.min(expires, key.expires) };
}

function approverRule({ trust, environment }: ApprovalQuestion) {
  return trust.policy.roles.approver.find((rule) => rule.environment === environment);
}

/** The approval of each person that counts the longest. */
function onePerPerson(approvals: readonly Decision[]): readonly CountedApproval[] {
  const longest = new Map<string, CountedApproval>();
  for (const { principal, notBefore, expires, countsUntil } of approvals) {
    if (countsUntil <= (longest.get(principal)?.countsUntil ?? 0)) continue;
    longest.set(principal, { principal, notBefore, expires, countsUntil });
  }
  return [...longest.values()];
}

/** A rejection stands until the same person signs an approval that begins later. */
function standingRejections(decisions: readonly Decision[]): readonly BundleProblem[] {
  const approvals = decisions.filter((d) => d.decision === "approve");
  return decisions
    .filter((d) => d.decision === "reject")
    .filter((r) => !approvals.some((a) => a.principal === r.principal && a.notBefore > r.notBefore))
    .map((r) => problem("REJECTED_BY_APPROVER", r.file, `"${printable(r.principal)}" rejected the bundle`));
}

/**
 * Counts the distinct people who approve a bundle for an environment. Key ids are hints; a person counts once however
 * many keys and envelopes are used; who signed the manifest never counts. Envelopes that do not count neither help nor
 * harm, except a rejection by somebody who could be counted, which blocks.
 */
export function countApprovals(files: readonly ApprovalFile[], question: ApprovalQuestion): ApprovalCount {
  const decisions: Decision[] = [];
  const refusals: BundleProblem[] = [];
  for (const file of files) {
    try {
      decisions.push(judge(file, question));
    } catch (thrown) {
      refusals.push(problemOf(thrown, file.file));
    }
  }
  const required = approverRule(question)?.threshold ?? Number.POSITIVE_INFINITY;
  const counted = onePerPerson(decisions.filter((d) => d.decision === "approve"));
  const problems = [...standingRejections(decisions), ...shortfall(counted.length, refusals, question)];
  const ends = counted.map((approval) => approval.countsUntil).sort((a, b) => b - a)[required - 1];
  const endsAt = ends === undefined || problems.length > 0 ? null : ends + question.trust.clockSkewMs;
  return { counted, required, problems, refusals, endsAt };
}

function shortfall(
  counted: number,
  refusals: readonly BundleProblem[],
  question: ApprovalQuestion,
): readonly BundleProblem[] {
  const rule = approverRule(question);
  if (rule === undefined) {
    const where = printable(question.environment);
    const text = `the trust policy names no approvers for environment "${where}"`;
    return [{ code: "WRONG_ENVIRONMENT", file: "trust policy", message: text }];
  }
  if (counted >= rule.threshold) return [];
  const message = `${counted} of ${rule.threshold} required approvals`;
  return [...refusals, { code: "THRESHOLD_NOT_MET", file: "approvals", message }];
}
