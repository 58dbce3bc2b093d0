import { counted } from "../src/documents/number-text.js";
import { approvalStatement } from "./signing/statements.js";
import { signStatement, type Signer } from "./signing/sign-statement.js";
import type { Approval } from "../src/documents/signed.js";
import { command, say, SluiceError, type Text } from "../src/base/error.js";
import type { Sha256 } from "../src/base/sha256.js";
import type { ReleaseStatus } from "./release-status.js";
import { utcSeconds } from "../src/base/text.js";
import { saveRecord, type Session } from "../store/records/session.js";
import { requireCurrentTrust } from "../src/trust/trust-policy.js";
import { type ApprovalCount, approvalCountText } from "../src/trust/verify/count-approvals.js";
import { judgeDecision } from "../src/trust/verify/judge-approval.js";
import type { OpenedManifest } from "../src/trust/verify/open-manifest.js";
import { approvalQuestion } from "../src/trust/verify/verify-signed.js";
import type { ErrorCode } from "../src/base/error-codes.js";

/** @throws {SluiceError} GATE_NOT_MET */
export function requireGates(failed: readonly string[], { decision, gate_override: override }: Approval): void {
  if (decision === "reject" || failed.length === 0 || override !== null) return;
  throw new SluiceError(
    "GATE_NOT_MET",
    `${counted(failed.length, "gate is", "gates are")} not met: ${failed.join("; ")}`,
    {
      hint: say`Reject the bundle: ${command`sluice reject`}. Or approve it with --override-gates REASON; the reason is signed.`,
    },
  );
}

/**
 * Signs and saves an approval or rejection. Refuses to sign one that would not count.
 * @param status  of the bundle at the time of signing
 * @throws {SluiceError} APPROVAL_NOT_COUNTED
 */
export async function signApproval(
  session: Session,
  status: ReleaseStatus,
  approval: Approval,
  signer: Signer,
): Promise<Sha256> {
  const { bundleId, predicate } = requireCounted(status, approval, signer.keyId);
  const bundle = { bundleId, bundleVersion: predicate.bundle_version };
  const { envelopeBytes } = await signStatement(approvalStatement(bundle, approval), signer);
  return saveRecord({ ...session, actor: approval.approver }, "approval", envelopeBytes).sha256;
}

/**
 * Refuses a decision that would not count at a server start, before anybody signs it.
 * @param keyId  key that will sign; null while it is unknown: any key of the approver then suffices
 * @throws {SluiceError} APPROVAL_NOT_COUNTED; details.reason is the code of the judgement
 */
export function requireCounted(status: ReleaseStatus, approval: Approval, keyId: Sha256 | null): OpenedManifest {
  const { manifest, result } = status;
  if (manifest === null) throw notCounted(status, approval, ["IDENTITY_MISMATCH", result.problems.join("; ")]);
  if (result.revoked !== null && approval.decision === "approve") {
    throw notCounted(status, approval, ["REVOKED", `${result.revoked}, so it never serves again`, releaseAnother]);
  }
  const refused = refusal(status, manifest, approval, keyId);
  if (refused !== null) throw notCounted(status, approval, refused);
  return manifest;
}

/** Why a decision would not count, and what to do; by default, to ask others. */
type Refusal = readonly [code: ErrorCode, why: string, hint?: Text];

/** What helps where no approval does. */
const releaseAnother: Text = say`Release another bundle. To approve an earlier one, name it with --bundle: ${command`sluice history log --kind manifest`} lists them.`;

function refusal(
  { question: asked, result }: ReleaseStatus,
  manifest: OpenedManifest,
  approval: Approval,
  keyId: Sha256 | null,
): Refusal | null {
  const { approver, decision, environment } = approval;
  const question = approvalQuestion(manifest, asked);
  const { trust, isRevoked } = question;
  const own = trust.keys.filter((key) => key.principal === approver);
  if (own.length === 0) return ["ROLE_MISMATCH", `"${approver}" is not a person in the trust policy`];
  if (result.required === null) {
    return ["APPROVAL_MISMATCH", `the trust policy names no approvers for environment "${environment}"`];
  }
  const signers = (keyId === null ? own : trust.keys.filter((key) => key.keyId === keyId)).filter(
    (key) => !isRevoked("key", key.keyId),
  );
  if (!signers.some((key) => key.principal === approver)) {
    return ["SIGNATURE_INVALID", `the trust policy does not list this key for "${approver}", or it is revoked`];
  }
  try {
    requireCurrentTrust(trust, question.now);
    judgeDecision(approval, signers, question, decision === "approve" ? "approval" : "rejection");
    return null;
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) throw thrown;
    const { code, message } = thrown;
    // A decision that is valid for too long can be made shorter; anything else needs another person.
    if (code !== "VALIDITY_INVALID") return [code, message];
    return [code, message, `Use --days ${trust.policy.limits.max_approval_days} or fewer.`];
  }
}

/**
 * Refuses an approval of a person whose approval already counts, unless it extends that one. An approval that states a
 * reproduction supersedes one that does not, and a later approval lifts a rejection, however soon it ends.
 * @throws {SluiceError} APPROVAL_NOT_COUNTED
 */
export function requireNew(status: ReleaseStatus, approval: Approval, renew: boolean): void {
  const { approver, decision, expires, reproduction } = approval;
  const like = (reproduction === undefined ? status.count?.counted : status.count?.derived) ?? [];
  const present = like.find((each) => each.approver === approver);
  if (decision === "reject" || present === undefined) return;
  const others = whoElse(status.count);
  if (!renew) {
    const why = `"${approver}" has approved already`;
    const hint = `${others} To extend an approval before it expires, add --renew.`;
    throw notCounted(status, approval, ["THRESHOLD_NOT_MET", why, hint]);
  }
  if (Date.parse(expires) >= present.countsUntil || status.result.rejected.length > 0) return;
  const until = utcSeconds(present.countsUntil);
  const why = `it ends ${expires}, and an approval by "${approver}" already counts until ${until}`;
  const hint: Text = say`${others} To extend an approval: --renew with more --days. To withdraw one: ${command`sluice reject`}.`;
  throw notCounted(status, approval, ["APPROVAL_NOT_COUNTED", why, hint]);
}

function notCounted(
  { count }: ReleaseStatus,
  { approver, decision }: Approval,
  [reason, why, hint = whoElse(count)]: Refusal,
): SluiceError {
  const what = decision === "approve" ? "approval" : "rejection";
  const status =
    count === null || count.required === null || reason === "REVOKED" ? "" : ` (${approvalCountText(count)})`;
  const message = `nothing was signed, because this ${what} by "${approver}" would not count: ${why}${status}`;
  const details = { reason, can_sign: count?.canSign ?? [] };
  return new SluiceError("APPROVAL_NOT_COUNTED", message, { hint, details });
}

function whoElse(count: ApprovalCount | null): string {
  if (count !== null && count.canSign.length > 0) return `Ask ${count.canSign.join(" or ")} to approve it.`;
  const isComplete = count !== null && count.problems.length === 0;
  return isComplete ? "The bundle is approved." : "Nobody else can sign; ask the roots of the trust policy.";
}
