import { parseTrustPolicy, requireCurrentTrust, type TrustStore } from "../src/trust/trust-policy.js";
import type { BundleId } from "../src/documents/primitives.js";
import { type ApprovalCount, approvalCountText } from "../src/trust/verify/count-approvals.js";
import type { OpenedManifest } from "../src/trust/verify/open-manifest.js";
import { openRevocations, type Revocations } from "../src/trust/verify/revocations.js";
import { judgeSigned, revokedParts, type SignedQuestion } from "../src/trust/verify/verify-signed.js";
import type { ReproductionSource } from "../src/documents/choices.js";
import type { ErrorCode } from "../src/base/error-codes.js";
import { toSluiceError } from "../src/base/error.js";
import type { History } from "../store/history/open.js";
import { utcSeconds } from "../src/base/text.js";
import { uncheckedText } from "../reports/release/page-status.js";
import { storedApprovals, type StoredApproval } from "./stored-statements.js";
import type { StoredManifest } from "./read-signed.js";

/** Inputs for judging the decisions about a bundle. */
export interface StatusQuestion {
  readonly trustPolicyBytes: Uint8Array;
  /** null if the deployment has no revocation list. */
  readonly revocationBytes: Uint8Array | null;
  readonly environment: string;
  readonly now: Date;
  /** People of a drafted policy whose public key this workspace lacks. Omitted or null: the policy is in force. */
  readonly drafted?: { readonly missing: readonly string[] } | null;
}

/** A revocation list that was read, as shown in results. */
export interface ConsultedList {
  readonly sequence: number;
  readonly issued_at: string;
}

export interface JudgedApproval extends StoredApproval {
  /** null if unknown, because the trust policy or the person's public key is missing. */
  readonly counts: boolean | null;
  readonly not_counted: { readonly code: ErrorCode; readonly message: string } | null;
}

export interface ReleaseStatusResult {
  readonly environment: string;
  readonly trust_version: number;
  /** null if the trust policy names no approvers for the environment. */
  readonly required: number | null;
  /** `derived_from`: the source from which this person reproduced the claim; null if not stated. */
  readonly signed: readonly {
    readonly person: string;
    readonly until: string;
    readonly derived_from: ReproductionSource | null;
  }[];
  readonly missing: number;
  /** Number of approvals that must state an equal reproduction of the claim, and how many are still missing. */
  readonly reproductions: { readonly required: number; readonly missing: number };
  readonly can_sign: readonly string[];
  /** Rejections in force. A later approval by the same person lifts a rejection. */
  readonly rejected: readonly { readonly person: string; readonly reason: string }[];
  /** People with a decision that cannot be checked, because their public key is missing here. */
  readonly unchecked: readonly string[];
  readonly approved: boolean;
  /** Why the revocation list refuses the bundle, whoever approves it; null if it does not. */
  readonly revoked: string | null;
  /** Why the bundle is not approved; empty if it is. */
  readonly problems: readonly string[];
  /** null if none was consulted. */
  readonly revocation_list: ConsultedList | null;
}

export interface ReleaseStatus {
  readonly question: SignedQuestion;
  /** null if the manifest does not verify. */
  readonly manifest: OpenedManifest | null;
  readonly count: ApprovalCount | null;
  readonly decisions: readonly JudgedApproval[];
  readonly result: ReleaseStatusResult;
}

const fileOf = (entry: number): string => `entry ${entry}`;

/** Every decision about a bundle, without judging whether it counts, for a reader without a trust policy. */
export const unjudgedDecisions = (history: History, bundleId: BundleId): readonly JudgedApproval[] =>
  storedApprovals(history, bundleId).map(({ approval }) => ({ ...approval, counts: null, not_counted: null }));

/** Judges a bundle as a server start would, from the decisions in the history. */
export function releaseStatus(history: History, manifest: StoredManifest, question: StatusQuestion): ReleaseStatus {
  const { environment, now } = question;
  const trust = parseTrustPolicy(question.trustPolicyBytes);
  const revocations =
    question.revocationBytes === null ? null : openRevocations(question.revocationBytes, trust, now, "revocations");
  const keyless = question.drafted?.missing ?? [];
  const kept = storedApprovals(history, manifest.bundleId);
  const approvals = new Map(kept.map(({ approval, bytes }) => [fileOf(approval.entry), bytes]));
  const signed = { trust, environment, now, revocations };
  const verdict = judgeSigned({ manifestBytes: manifest.envelopeBytes, approvals }, signed);
  const decisions = kept.map(({ approval }): JudgedApproval => {
    const why = verdict.approvals?.notCounted.find(({ file }) => file === fileOf(approval.entry));
    if (why === undefined) return { ...approval, counts: verdict.approvals === null ? null : true, not_counted: null };
    const { code, message } = why;
    if (!keyless.includes(approval.approver)) return { ...approval, counts: false, not_counted: { code, message } };
    return { ...approval, counts: null, not_counted: { code, message: uncheckedText([approval.approver]) } };
  });
  const problems = [...expiredTrust(trust, now), ...verdict.problems.map(({ message }) => message)];
  return {
    question: signed,
    manifest: verdict.manifest,
    count: verdict.approvals,
    decisions,
    result: {
      environment,
      revoked: revocationOf(verdict.manifest, revocations),
      trust_version: trust.policy.version,
      ...peopleOf(verdict.approvals),
      rejected: decisions
        .filter(({ decision, counts }) => decision === "reject" && counts === true)
        .map(({ approver: person, reason }) => ({ person, reason })),
      unchecked: [...new Set(decisions.filter(isUnchecked).map(({ approver }) => approver))],
      approved: problems.length === 0,
      problems,
      revocation_list: consulted(revocations),
    },
  };
}

function revocationOf(manifest: OpenedManifest | null, revocations: Revocations | null): string | null {
  const [first] = manifest === null ? [] : revokedParts(manifest, revocations);
  return first?.message ?? null;
}

const isUnchecked = ({ counts, not_counted: why }: JudgedApproval): boolean => counts === null && why !== null;

function expiredTrust(trust: TrustStore, now: Date): readonly string[] {
  try {
    requireCurrentTrust(trust, now);
    return [];
  } catch (thrown) {
    return [toSluiceError(thrown).message];
  }
}

type People = Pick<ReleaseStatusResult, "required" | "signed" | "missing" | "reproductions" | "can_sign">;

/** Who signed, who still can, and how many signatures are missing, as shown in results. */
export function peopleOf(count: ApprovalCount | null): People {
  const none = { required: 0, missing: 0 };
  if (count === null) return { required: null, signed: [], missing: 0, reproductions: none, can_sign: [] };
  const { required, counted, derived, derivedRequired, canSign } = count;
  const derivedBy = new Map(derived.map(({ approver, reproduction }) => [approver, reproduction?.from]));
  return {
    required,
    signed: counted.map(({ approver, countsUntil }) => ({
      person: approver,
      until: utcSeconds(countsUntil),
      derived_from: derivedBy.get(approver) ?? null,
    })),
    missing: Math.max(0, (required ?? 0) - counted.length),
    reproductions: { required: derivedRequired, missing: Math.max(0, derivedRequired - derived.length) },
    can_sign: canSign,
  };
}

/** The revocation list that was used, as shown in results. */
export function consulted(revocations: Revocations | null): ConsultedList | null {
  if (revocations === null) return null;
  const { sequence, issued_at } = revocations.predicate;
  return { sequence, issued_at };
}

export function statusLine({ count, result }: Pick<ReleaseStatus, "count" | "result">): string {
  const where = `environment ${result.environment}, trust policy ${result.trust_version}`;
  if (count === null) return `${where}: the manifest does not verify`;
  const rejected = result.rejected.map(({ person, reason }) => `rejected by ${person} (${reason}); `).join("");
  return `${where}: ${rejected}${approvalCountText(count)}`;
}
