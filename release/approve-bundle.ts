import { counted } from "../src/documents/number-text.js";
import { approvalStatement } from "./signing/statements.js";
import { signStatement, type Signer } from "./signing/sign-statement.js";
import type { Approval, StatedReproduction } from "../src/documents/signed.js";
import { SluiceError } from "../src/base/error.js";
import { type StoredPage, storedPage } from "./page/stored-page.js";
import type { StoredManifest } from "./read-signed.js";
import { releaseStatus, type ReleaseQuestion, type ReleaseStatus } from "./release-status.js";
import { utcSeconds } from "../src/base/text.js";
import { saveRecord, type Session } from "../store/records/session.js";
import { requireCurrentTrust, type TrustedKey } from "../src/trust/trust-policy.js";
import type { BundleId } from "../src/documents/primitives.js";
import { approvalCountText } from "../src/trust/verify/count-approvals.js";
import { type ApprovalQuestion, judgeDecision } from "../src/trust/verify/judge-approval.js";
import { claimDigests } from "../src/trust/verify/open-manifest.js";
import { revokedBy } from "../src/trust/verify/revocations.js";
import type { ErrorCode } from "../src/base/error-codes.js";

export interface DecisionOptions {
  readonly manifest: StoredManifest;
  /** Principal of the trust policy. */
  readonly approver: string;
  /** Start of the decision's validity, milliseconds since 1970 UTC. */
  readonly fromMs: number;
  readonly decision: Approval["decision"];
  /** Inputs that determine whether the decision counts. */
  readonly judge: Pick<ReleaseQuestion, "trustPolicyBytes" | "revocationBytes">;
  readonly environment: string;
  /** Days of validity, at least 1. */
  readonly validDays: number;
  readonly reason: string;
  /** Why a bundle with failed gates may serve; null if no gate failed or nothing is overridden. */
  readonly gateOverride: string | null;
  /** The reproduction that the approver carried out; null if there was none, and the decision then omits it. */
  readonly reproduction: StatedReproduction | null;
  /** Signs even if an approval of the same person already counts. */
  readonly renew: boolean;
}

export interface ApproveOptions extends DecisionOptions {
  readonly signer: Signer;
}

interface IntendedApproval {
  readonly predicate: Approval;
  /** Tiers whose measured risk exceeds their target. */
  readonly failedGates: readonly string[];
}

const dayMs = 86_400_000;

/** @throws {SluiceError} GATE_NOT_MET */
export function requireGates(failed: readonly string[], override: string | null): void {
  if (failed.length === 0 || override !== null) return;
  throw new SluiceError(
    "GATE_NOT_MET",
    `${counted(failed.length, "gate is", "gates are")} not met: ${failed.join("; ")}`,
    {
      hint: "Reject the bundle: sluice reject. Or approve it with --override-gates REASON; the reason is signed.",
    },
  );
}

function predicateOf(options: DecisionOptions, { page, sha256 }: StoredPage): Approval {
  return {
    decision: options.decision,
    environment: options.environment,
    approver: options.approver,
    not_before: utcSeconds(options.fromMs),
    expires: utcSeconds(options.fromMs + options.validDays * dayMs),
    page_sha256: sha256,
    reason: options.reason,
    gate_override: page.failed_gates.length === 0 ? null : options.gateOverride,
    ...(options.reproduction === null ? {} : { reproduction: options.reproduction }),
  };
}

/**
 * Prepares the decision to sign, and refuses one that would not count.
 * @param keyId  key that will sign; null while it is unknown
 * @throws {SluiceError} APPROVAL_NOT_COUNTED
 */
export function intendedDecision(session: Session, options: DecisionOptions, keyId: string | null): IntendedApproval {
  const { manifest, judge, environment, renew } = options;
  const stored = storedPage(session.history, manifest);
  const predicate = predicateOf(options, stored);
  const now = new Date(session.context.clock());
  const status = releaseStatus(session.history, manifest, { ...judge, environment, now });
  requireCounted(status, { bundleId: manifest.bundleId, predicate, keyId, renew }, now);
  return { predicate, failedGates: stored.page.failed_gates };
}

/**
 * Signs and saves an approval or rejection of exactly this bundle and its release page. Refuses to sign a decision that
 * would not count.
 * @throws {SluiceError} those of `intendedDecision`; GATE_NOT_MET
 */
export async function approveBundle(
  session: Session,
  options: ApproveOptions,
): Promise<{ readonly approvalId: string }> {
  const { manifest, signer } = options;
  const { predicate, failedGates } = intendedDecision(session, options, signer.keyId);
  if (options.decision === "approve") requireGates(failedGates, options.gateOverride);
  const bundle = { bundleId: manifest.bundleId, bundleVersion: manifest.predicate.bundle_version };
  const { envelopeBytes } = await signStatement(approvalStatement(bundle, predicate), signer);
  const { sha256 } = saveRecord({ ...session, actor: options.approver }, "approval", envelopeBytes);
  return { approvalId: sha256 };
}

interface IntendedDecision {
  readonly bundleId: BundleId;
  readonly predicate: Approval;
  /** Key that will sign; null while it is unknown: any key of the approver then suffices. */
  readonly keyId: string | null;
  /** Signs even if an approval of the same person already counts. */
  readonly renew: boolean;
}

/**
 * Refuses a decision that would not count at a server start, before anybody signs it.
 * @param now  time of signing
 * @throws {SluiceError} APPROVAL_NOT_COUNTED; details.reason is the code of the judgement
 */
function requireCounted(status: ReleaseStatus, intended: IntendedDecision, now: Date): void {
  const { predicate, keyId } = intended;
  const { trust, manifest, count, revocations } = status;
  if (manifest === null || count === null) {
    throw notCounted(status, ["IDENTITY_MISMATCH", status.problems.join("; "), askOthers], predicate);
  }
  if (status.result.revoked !== null && predicate.decision === "approve") {
    throw notCounted(
      status,
      ["REVOKED", `${status.result.revoked}, so it never serves again`, releaseAnother],
      predicate,
    );
  }
  const isRevoked = revokedBy(revocations);
  const { environment } = status.result;
  const { bundleId, producers, predicate: signed } = manifest;
  const claim = claimDigests(signed);
  const question: ApprovalQuestion = { trust, bundleId, producers, claim, environment, now, isRevoked };
  const own = trust.keys.filter((key) => key.principal === predicate.approver);
  const signers = signersOf(own, trust.keys, keyId).filter((key) => !isRevoked("key", key.keyId));
  const refused = refusal(status, { intended, own, signers, question });
  if (refused !== null) throw notCounted(status, refused, predicate);
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

/** Why a decision would not count. `remedy`: the hint, made from what to say about who else can sign. */
type Refusal = readonly [code: ErrorCode, why: string, remedy: (others: string) => string];

const askOthers: Refusal[2] = (others) => others;

function refusal(status: ReleaseStatus, { intended, own, signers, question }: Asked): Refusal | null {
  const { predicate, renew } = intended;
  const { approver, decision, environment } = predicate;
  if (own.length === 0) return ["ROLE_MISMATCH", `"${approver}" is not a person in the trust policy`, askOthers];
  if (status.count?.required === null) {
    return ["APPROVAL_MISMATCH", `the trust policy names no approvers for environment "${environment}"`, askOthers];
  }
  if (!signers.some((key) => key.principal === approver)) {
    return [
      "SIGNATURE_INVALID",
      `the trust policy does not list this key for "${approver}", or it is revoked`,
      askOthers,
    ];
  }
  try {
    requireCurrentTrust(question.trust, question.now);
    judgeDecision({ file: decision === "approve" ? "approval" : "rejection", predicate, signers }, question);
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) throw thrown;
    return [thrown.code, thrown.message, remedyOfJudgement(thrown, question)];
  }
  const until = countsAlreadyUntil(status, predicate);
  if (until === null) return null;
  if (!renew) {
    return [
      "THRESHOLD_NOT_MET",
      `an approval by "${approver}" already counts; each person counts once`,
      (others) => `${others} To extend an approval before it expires, add --renew.`,
    ];
  }
  if (Date.parse(predicate.expires) >= until || liftsRejection(status)) return null;
  return [
    "APPROVAL_NOT_COUNTED",
    `it ends ${predicate.expires}, and an approval by "${approver}" already counts until ${utcSeconds(until)}`,
    (others) => `${others} To extend an approval: --renew with more --days. To withdraw one: sluice reject.`,
  ];
}

/** A decision that is valid for too long can be made shorter; anything else needs another person. */
const remedyOfJudgement = ({ code }: SluiceError, { trust }: ApprovalQuestion): Refusal[2] =>
  code === "VALIDITY_INVALID" ? () => `Use --days ${trust.policy.limits.max_approval_days} or fewer.` : askOthers;

/**
 * End of the person's approval that counts, milliseconds since 1970 UTC; null without one. An approval that states a
 * reproduction supersedes one that does not.
 */
function countsAlreadyUntil({ count }: ReleaseStatus, { approver, decision, reproduction }: Approval): number | null {
  if (decision !== "approve") return null;
  const like = (reproduction === undefined ? count?.counted : count?.derived) ?? [];
  return like.find(({ principal }) => principal === approver)?.countsUntil ?? null;
}

/** Whether a rejection is in force, which a later approval by the same person replaces, however soon it ends. */
const liftsRejection = ({ count }: ReleaseStatus): boolean =>
  (count?.problems ?? []).some(({ code }) => code === "REJECTED_BY_APPROVER");

/** What helps where no approval does. */
const releaseAnother: Refusal[2] = () =>
  "Release another bundle. To approve an earlier one, name it with --bundle: sluice history log --kind manifest lists them.";

function notCounted(
  { count }: ReleaseStatus,
  [reason, why, remedy]: Refusal,
  { approver, decision }: Approval,
): SluiceError {
  const what = decision === "approve" ? "approval" : "rejection";
  const status =
    count === null || count.required === null || reason === "REVOKED" ? "" : ` (${approvalCountText(count)})`;
  const message = `nothing was signed, because this ${what} by "${approver}" would not count: ${why}${status}`;
  const canSign = count?.canSign ?? [];
  const isComplete = count !== null && count.problems.length === 0;
  const nobody = isComplete ? "The bundle is approved." : "Nobody else can sign; ask the roots of the trust policy.";
  const others = canSign.length === 0 ? nobody : `Ask ${canSign.join(" or ")} to approve it.`;
  return new SluiceError("APPROVAL_NOT_COUNTED", message, {
    hint: remedy(others),
    details: { reason, can_sign: canSign },
  });
}
