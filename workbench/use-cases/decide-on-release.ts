import { SluiceError } from "../../src/errors/error.js";
import { withHistory } from "../records/with-history.js";
import { readInput } from "../read-input.js";
import { type ReadPage, requirePage } from "../release/page/require-page.js";
import { storedPage } from "../release/page/stored-page.js";
import { approveBundle, type DecisionOptions, intendedDecision } from "../release/approve-bundle.js";
import { readManifest } from "../release/read-manifest.js";
import { readRevocations } from "../release/read-revocations.js";
import { readTrust } from "../release/read-trust.js";
import {
  type MarkedDecision,
  releaseStanding,
  type StandingResult,
  standingLine,
} from "../release/release-standing.js";
import { releaseSummary, requireSummary, type SummaryWithDigest } from "../release/release-summary.js";
import type { WorkbenchContext } from "../workbench-context.js";
import { openSigner, type SignerSource } from "./sign-manifest.js";

/** How far the approvals of a bundle are, and every decision about it. */
export interface Standing {
  readonly decisions: readonly MarkedDecision[];
  readonly result: StandingResult;
}

/** By which files it is judged who counts. */
export interface JudgeFiles {
  /** Default: trust.json of the workspace. */
  readonly trustFile?: string | undefined;
  /** Default: revocations.json next to the trust policy, when there is one. */
  readonly revocationsFile?: string | undefined;
  /** Default "production". */
  readonly environment?: string;
}

/** Who decides about which bundle, and for how long. */
export interface ReleaseDecisionOptions extends JudgeFiles {
  /** Bundle id or its beginning. Default: the latest manifest. */
  readonly bundle?: string | undefined;
  /** Who signs; an approver of the trust policy. */
  readonly approver: string;
  readonly signer: SignerSource;
  /** Days for which the decision holds, at least 1. Default 30. */
  readonly days?: number;
  /** Why; it is signed too. Default "". */
  readonly reason?: string | undefined;
  /** Why a bundle whose gates are not met may serve; it is signed too. Default: such a bundle is not approved. */
  readonly overrideGates?: string | undefined;
  /** Signs although an approval of the same person counts already, to extend it. Default false. */
  readonly renew?: boolean;
  /** Digest of the summary that the approver read. Another summary is refused. Default: any. */
  readonly summarySha256?: string | undefined;
  /** Page file that the approver read. A page that differs from the stored one in any byte is refused. Default: any. */
  readonly pageFile?: string | undefined;
  /** Called with what will be signed, before it is signed; throw to stop. Default: nobody is asked. */
  readonly confirm?: (release: SummaryWithDigest, standing: Standing) => Promise<void>;
  /** From when on the decision holds, milliseconds since 1970 UTC. Default: now. */
  readonly atMs?: number;
}

/** A decision that was signed and saved. */
export interface SignedDecisionOnRelease {
  readonly approvalId: string;
  readonly bundleId: string;
  readonly decision: "approve" | "reject";
  /** What the approver signed. */
  readonly release: SummaryWithDigest;
  /** How far the approvals are, with this decision. */
  readonly standing: StandingResult;
  /** The same in words. */
  readonly standingText: string;
}

/**
 * Signs an approval of one bundle and its release summary, and saves it. An approval that would not count is not signed.
 *
 * @example await approveRelease(workbench, { approver: "bo", signer, reason: "reviewed, ticket 4712" });
 * @throws {SluiceError} APPROVAL_NOT_COUNTED, GATE_NOT_MET, IDENTITY_MISMATCH (another summary or page), RECORD_NOT_FOUND,
 *   FILE_NOT_FOUND (no trust policy), ARGUMENT_INVALID (`days`)
 */
export const approveRelease = (
  workbench: WorkbenchContext,
  options: ReleaseDecisionOptions,
): Promise<SignedDecisionOnRelease> => decideOnRelease(workbench, "approve", options);

/**
 * Signs a rejection, which stops a bundle whatever its approvals. Otherwise as `approveRelease`; gates need no override.
 *
 * @example await rejectRelease(workbench, { approver: "bo", signer, reason: "too many wrong refunds" });
 * @throws {SluiceError} as `approveRelease`, without GATE_NOT_MET
 */
export const rejectRelease = (
  workbench: WorkbenchContext,
  options: ReleaseDecisionOptions,
): Promise<SignedDecisionOnRelease> => decideOnRelease(workbench, "reject", options);

async function decideOnRelease(
  workbench: WorkbenchContext,
  decision: SignedDecisionOnRelease["decision"],
  options: ReleaseDecisionOptions,
): Promise<SignedDecisionOnRelease> {
  const { environment = "production", days = 30 } = options;
  if (!(Number.isInteger(days) && days >= 1)) {
    throw new SluiceError("ARGUMENT_INVALID", `days: found ${days}, expected a whole number of at least 1`, {
      hint: "Use 30.",
    });
  }
  const trustPolicyBytes = await readTrust(workbench, options.trustFile);
  const revocationBytes = await readRevocations(workbench, namesOf(options));
  const readPage = await pageOf(options.pageFile);
  return withHistory(workbench, "write", async (stage) => {
    const manifest = readManifest(stage.history, options.bundle);
    const release = releaseSummary(stage.history, manifest);
    requireSummary(release, options.summarySha256);
    if (readPage !== null) requirePage(readPage, storedPage(stage.history, manifest), manifest);
    const intended: DecisionOptions = {
      manifest,
      approver: options.approver,
      fromMs: options.atMs ?? workbench.clock(),
      decision,
      judge: { trustPolicyBytes, revocationBytes },
      environment,
      validDays: days,
      reason: options.reason ?? "",
      gateOverride: options.overrideGates ?? null,
      renew: options.renew ?? false,
    };
    intendedDecision(stage, intended, null);
    const question = { trustPolicyBytes, revocationBytes, environment, now: new Date(workbench.clock()) };
    await options.confirm?.(release, releaseStanding(stage.history, manifest, question));
    const { approvalId } = await approveBundle(stage, { ...intended, signer: await openSigner(options.signer) });
    const standing = releaseStanding(stage.history, manifest, question);
    const { bundleId } = manifest;
    return { approvalId, bundleId, decision, release, standing: standing.result, standingText: standingLine(standing) };
  });
}

/** The page file that was named; null for none. @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED */
export async function pageOf(file: string | undefined): Promise<ReadPage | null> {
  return file === undefined ? null : { file, bytes: await readInput(file) };
}

/** As `readRevocations` names the files. */
export const namesOf = ({ trustFile, revocationsFile }: JudgeFiles) => ({
  trust: trustFile,
  revocations: revocationsFile,
});
