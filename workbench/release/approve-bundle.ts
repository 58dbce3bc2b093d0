import { counted } from "../../src/domain/number-text.js";
import { approvalStatement } from "../signing/approval-statement.js";
import { signStatement } from "../signing/sign-statement.js";
import type { Signer } from "../signing/signer.js";
import type { ApprovalPredicateWire, StatedReproduction } from "../../src/domain/signed.js";
import { SluiceError } from "../../src/errors/error.js";
import { type StoredPage, storedPage } from "./page/stored-page.js";
import type { KeptManifest } from "./read-manifest.js";
import { releaseStanding, type StandingQuestion } from "./release-standing.js";
import { releaseSummary, type SummaryWithDigest } from "./release-summary.js";
import { requireCounted } from "./require-counted.js";
import { utcSeconds } from "../records/timestamp.js";
import { keepRecord, type Stage } from "../records/stage.js";

/** A decision that somebody is about to sign. */
export interface DecisionOptions {
  readonly manifest: KeptManifest;
  /** Principal of the trust policy. */
  readonly approver: string;
  /** Start of the decision's validity, milliseconds since 1970 UTC. */
  readonly fromMs: number;
  readonly decision: ApprovalPredicateWire["decision"];
  /** Inputs that determine whether the decision counts. */
  readonly judge: Pick<StandingQuestion, "trustPolicyBytes" | "revocationBytes">;
  readonly environment: string;
  /** Days of validity, at least 1. */
  readonly validDays: number;
  readonly reason: string;
  /** Why a bundle with failed gates may serve; null when none failed, or nothing is overridden. */
  readonly gateOverride: string | null;
  /** What the approver derived again; null: nothing, and the decision does not mention it. */
  readonly reproduction: StatedReproduction | null;
  /** Signs even if an approval of the same person already counts. */
  readonly renew: boolean;
}

export interface ApproveOptions extends DecisionOptions {
  readonly signer: Signer;
}

interface IntendedApproval {
  readonly predicate: ApprovalPredicateWire;
  /** Tiers that were measured above their target. */
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

function predicateOf(
  options: DecisionOptions,
  release: SummaryWithDigest,
  { sha256: pageSha256 }: StoredPage,
): ApprovalPredicateWire {
  return {
    decision: options.decision,
    environment: options.environment,
    approver: options.approver,
    not_before: utcSeconds(options.fromMs),
    expires: utcSeconds(options.fromMs + options.validDays * dayMs),
    summary_sha256: release.sha256,
    page_sha256: pageSha256,
    reason: options.reason,
    gate_override: release.summary.failed_gates.length === 0 ? null : options.gateOverride,
    ...(options.reproduction === null ? {} : { reproduction: options.reproduction }),
  };
}

/**
 * The decision to sign, if it would count.
 * @param keyId  key that will sign; null before it is known
 * @throws {SluiceError} APPROVAL_NOT_COUNTED
 */
export function intendedDecision(stage: Stage, options: DecisionOptions, keyId: string | null): IntendedApproval {
  const { manifest, judge, environment, renew } = options;
  const release = releaseSummary(stage.history, manifest);
  const predicate = predicateOf(options, release, storedPage(stage.history, manifest));
  const now = new Date(stage.context.clock());
  const standing = releaseStanding(stage.history, manifest, { ...judge, environment, now });
  requireCounted(standing, { bundleId: manifest.bundleId, predicate, keyId, renew }, now);
  return { predicate, failedGates: release.summary.failed_gates };
}

/**
 * Signs an approval or a rejection of exactly this bundle and this summary, and saves it. A decision that would not
 * count is not signed.
 * @throws {SluiceError} those of `intendedDecision`; GATE_NOT_MET
 */
export async function approveBundle(stage: Stage, options: ApproveOptions): Promise<{ readonly approvalId: string }> {
  const { manifest, signer } = options;
  const { predicate, failedGates } = intendedDecision(stage, options, signer.keyId);
  if (options.decision === "approve") requireGates(failedGates, options.gateOverride);
  const bundle = { bundleId: manifest.bundleId, bundleVersion: manifest.predicate.bundle_version };
  const { envelopeBytes } = await signStatement(approvalStatement(bundle, predicate), signer);
  const { sha256 } = keepRecord({ ...stage, actor: options.approver }, "approval", envelopeBytes);
  return { approvalId: sha256 };
}
