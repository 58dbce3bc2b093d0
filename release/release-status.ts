import { parseTrustPolicy, requireCurrentTrust, type TrustStore } from "../src/trust/trust-policy.js";
import type { BundleId } from "../src/documents/primitives.js";
import { type ApprovalCount, approvalCountText } from "../src/trust/verify/count-approvals.js";
import type { OpenedManifest } from "../src/trust/verify/open-manifest.js";
import { openRevocations, type Revocations } from "../src/trust/verify/revocations.js";
import { judgeSigned, revokedParts } from "../src/trust/verify/verify-signed.js";
import type { ReproductionSource } from "../src/documents/choices.js";
import type { ErrorCode } from "../src/base/error-codes.js";
import { toSluiceError } from "../src/base/error.js";
import type { History } from "../store/history/open.js";
import { utcSeconds } from "../src/base/text.js";
import { uncheckedText } from "../reports/release/page-status.js";
import { type StoredDecision, keptApprovals, keptDecision } from "./kept-statements.js";
import type { StoredManifest } from "./read-signed.js";

/** Inputs for judging the decisions about a bundle. */
export interface ReleaseQuestion {
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

export interface MarkedDecision extends StoredDecision {
  /** null if unknown, because the trust policy or the person's public key is missing. */
  readonly counts: boolean | null;
  readonly not_counted: { readonly code: ErrorCode; readonly message: string } | null;
}

export interface SignedApproval {
  readonly person: string;
  readonly until: string;
  /** The source from which this person reproduced the claim; null if not stated. */
  readonly derived_from: ReproductionSource | null;
}

export interface ReleaseStatusResult {
  readonly environment: string;
  readonly trust_version: number;
  /** null if the trust policy names no approvers for the environment. */
  readonly required: number | null;
  readonly signed: readonly SignedApproval[];
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
  readonly trust: TrustStore;
  readonly revocations: Revocations | null;
  /** null if the manifest does not verify. */
  readonly manifest: OpenedManifest | null;
  readonly count: ApprovalCount | null;
  readonly problems: readonly string[];
  readonly decisions: readonly MarkedDecision[];
  readonly result: ReleaseStatusResult;
}

const fileOf = (entry: number): string => `entry ${entry}`;

/** Every decision about a bundle, without judging whether it counts, for a reader without a trust policy. */
export function unjudgedDecisions(history: History, bundleId: BundleId): readonly MarkedDecision[] {
  return keptApprovals(history)
    .filter((approval) => approval.bundleId === bundleId)
    .map((approval) => ({ ...keptDecision(approval), counts: null, not_counted: null }));
}

/** Judges a bundle as a server start would, from the decisions in the history. */
export function releaseStatus(history: History, manifest: StoredManifest, question: ReleaseQuestion): ReleaseStatus {
  const { environment, now } = question;
  const trust = parseTrustPolicy(question.trustPolicyBytes);
  const revocations =
    question.revocationBytes === null ? null : openRevocations(question.revocationBytes, trust, now, "revocations");
  const keyless = question.drafted?.missing ?? [];
  const kept = keptApprovals(history).filter((approval) => approval.bundleId === manifest.bundleId);
  const files = kept.map(({ entry, bytes }) => ({ file: fileOf(entry.seq), bytes }));
  const signed = { manifestBytes: manifest.envelopeBytes, approvals: files };
  const verdict = judgeSigned(signed, { trust, environment, now, revocations });
  const decisions = kept.map((approval): MarkedDecision => {
    const judged = verdict.approvals?.judged.find(({ file }) => file === fileOf(approval.entry.seq));
    const why = judged?.problem ?? null;
    const decision = keptDecision(approval);
    if (why !== null && keyless.includes(decision.approver)) {
      return {
        ...decision,
        counts: null,
        not_counted: { code: why.code, message: uncheckedText([decision.approver]) },
      };
    }
    const notCounted = why === null ? null : { code: why.code, message: why.message };
    return {
      ...decision,
      counts: judged === undefined ? null : why === null,
      not_counted: notCounted,
    };
  });
  const problems = [...expiredTrust(trust, now), ...verdict.problems.map(({ message }) => message)];
  return {
    trust,
    revocations,
    manifest: verdict.manifest,
    count: verdict.approvals,
    problems,
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

const isUnchecked = ({ counts, not_counted: why }: MarkedDecision): boolean => counts === null && why !== null;

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
  const derivedBy = new Map(derived.map(({ principal, derivedFrom }) => [principal, derivedFrom]));
  return {
    required,
    signed: counted.map(({ principal, countsUntil }) => ({
      person: principal,
      until: utcSeconds(countsUntil),
      derived_from: derivedBy.get(principal) ?? null,
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
