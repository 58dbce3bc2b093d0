import { approvalStatement } from "../../src/artifacts/sign/approval-statement.js";
import { signStatement } from "../../src/artifacts/sign/sign-statement.js";
import type { Signer } from "../../src/artifacts/sign/signer.js";
import type { ApprovalPredicateWire } from "../../src/domain/signed.js";
import { SluiceError } from "../../src/errors/error.js";
import type { KeptManifest } from "./read-manifest.js";
import { releaseSummary } from "./release-summary.js";
import { utcSeconds } from "../timestamp.js";
import { keepRecord, type Stage } from "./stage.js";

export interface ApproveOptions {
  readonly manifest: KeptManifest;
  /** Principal of the trust policy. */
  readonly approver: string;
  readonly signer: Signer;
  /** From when on the decision holds, milliseconds since 1970 UTC. */
  readonly fromMs: number;
  readonly decision: ApprovalPredicateWire["decision"];
  readonly environment: string;
  /** Days from then on, at least 1. */
  readonly validDays: number;
  readonly reason: string;
  /** Why a bundle with failed gates may serve; null when none failed, or nothing is overridden. */
  readonly gateOverride: string | null;
}

const dayMs = 86_400_000;

/** @throws {SluiceError} GATE_NOT_MET */
function requireGates(failed: readonly string[], override: string | null): void {
  if (failed.length === 0 || override !== null) return;
  throw new SluiceError("GATE_NOT_MET", `${failed.length} gates are not met: ${failed.join("; ")}`, {
    hint: "Reject the bundle: sluice reject. Or approve it with --override-gates REASON; the reason is signed.",
  });
}

/** Signs an approval or a rejection of exactly this bundle and this summary, and keeps it. */
export async function approveBundle(stage: Stage, options: ApproveOptions): Promise<{ readonly approvalId: string }> {
  const { manifest, signer } = options;
  const release = releaseSummary(stage.history, manifest);
  const failed = release.summary.failed_gates;
  if (options.decision === "approve") requireGates(failed, options.gateOverride);
  const predicate: ApprovalPredicateWire = {
    decision: options.decision,
    environment: options.environment,
    approver: options.approver,
    not_before: utcSeconds(options.fromMs),
    expires: utcSeconds(options.fromMs + options.validDays * dayMs),
    summary_sha256: release.sha256,
    reason: options.reason,
    gate_override: failed.length === 0 ? null : options.gateOverride,
  };
  const bundle = { bundleId: manifest.bundleId, bundleVersion: manifest.predicate.bundle_version };
  const { envelopeBytes } = await signStatement(approvalStatement(bundle, predicate), signer);
  const { sha256 } = keepRecord({ ...stage, actor: options.approver }, "approval", envelopeBytes);
  return { approvalId: sha256 };
}
