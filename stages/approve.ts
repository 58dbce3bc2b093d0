import { defaultWorkers } from "./choices.js";
import type { PageStatus } from "../reports/release/page-status.js";
import type { ReleasePage } from "../reports/release/release-page.js";
import type { Approval, StatedReproduction } from "../src/documents/signed.js";
import { SluiceError } from "../src/base/error.js";
import { withHistory, type Session } from "../store/records/session.js";
import { readInput } from "../src/base/files.js";
import { utcSeconds } from "../src/base/text.js";
import { requirePage, requirePageDigest } from "../release/page/require-page.js";
import { statusOfPage } from "../release/page/status-of-page.js";
import { storedPage } from "../release/page/stored-page.js";
import { requireCounted, requireGates, requireNew, signApproval } from "../release/approve-bundle.js";
import { decisionJudge } from "./project/decision-judge.js";
import { advanceRelease, type ProjectRelease } from "./project/release-step.js";
import { type JudgeFiles, type StoredManifest, readManifest } from "../release/read-signed.js";
import { releaseStatus, type ReleaseStatusResult, statusLine } from "../release/release-status.js";
import { actingAs, type WorkbenchContext } from "../store/workbench-context.js";
import type { ReproduceClaimOptions } from "./reproduce.js";
import { openSigner, type SignerSource } from "./sign.js";

const dayMs = 86_400_000;

/** The release page, and the current approvals. */
export interface PageOfRelease {
  readonly page: ReleasePage;
  readonly status: PageStatus;
}

export interface ReleaseDecisionOptions extends JudgeFiles {
  /**
   * `sluice.yaml` of the project whose release this is. Until it has a trust policy, a draft for its people applies.
   * The policy is written once the last person has a key, and the bundle is exported with the last approval. Default:
   * the trust policy must exist, and nothing is exported.
   */
  readonly project?: string | undefined;
  /** Bundle id or its beginning. Default: the latest manifest. */
  readonly bundle?: string | undefined;
  /** Person who signs, an approver in the trust policy. */
  readonly approver: string;
  /** Key of the approver, or a function that opens it, called after all other checks. */
  readonly signer: SignerSource;
  /** Validity of the decision in days, >= 1. Default 30. */
  readonly days?: number;
  /** Reason for the decision, which is also signed. A rejection needs one. Default "". */
  readonly reason?: string | undefined;
  /**
   * Reason why a bundle may serve although a gate is not met, which is also signed. Default: such a bundle is not
   * approved.
   */
  readonly overrideGates?: string | undefined;
  /** Whether to sign even if an approval of the same person already counts, to extend it. Default false. */
  readonly renew?: boolean;
  /** Digest of the release page that the approver read; a different page is refused. Default: any page is accepted. */
  readonly pageSha256?: string | undefined;
  /**
   * Page file that the approver read; refused if it differs from the stored page in any byte. Default: not compared.
   */
  readonly pageFile?: string | undefined;
  /**
   * Reproduces the claim before signing and states this in the approval. A claim that differs is not approved. Default:
   * nothing is reproduced.
   */
  readonly reproduce?: Pick<ReproduceClaimOptions, "from" | "platform" | "workers"> | undefined;
  /** Called before the decision is signed; throwing cancels it. Default: not called. */
  readonly confirm?: (shown: PageOfRelease) => Promise<void>;
  /** Start of the decision's validity, milliseconds since 1970 UTC. Default: now. */
  readonly atMs?: number;
}

export interface SignedDecisionOnRelease {
  readonly approvalId: string;
  readonly bundleId: string;
  readonly decision: Approval["decision"];
  readonly page: ReleasePage;
  /** Digest of the page, which the decision states. */
  readonly pageSha256: string;
  readonly reproduction: StatedReproduction | null;
  readonly status: ReleaseStatusResult;
  readonly approvalCountText: string;
  readonly project: ProjectRelease | null;
}

/**
 * Signs and saves an approval of one bundle and its release page. An approval that would not count is not signed.
 *
 * @example await approveRelease(workbench, { approver: "bo", signer, reason: "reviewed, ticket 4712" });
 * @throws {SluiceError} APPROVAL_NOT_COUNTED, GATE_NOT_MET, IDENTITY_MISMATCH (another page), RECORD_NOT_FOUND,
 *   FILE_NOT_FOUND (no trust policy), ARGUMENT_INVALID (`days`), REPRODUCTION_DIFFERS and NOT_REPRODUCIBLE
 *   (`reproduce`)
 */
export const approveRelease = (
  workbench: WorkbenchContext,
  options: ReleaseDecisionOptions,
): Promise<SignedDecisionOnRelease> => decideOnRelease(workbench, "approve", options);

/**
 * Signs a rejection, which blocks a bundle regardless of its approvals. Otherwise like `approveRelease`, but gates need
 * no override.
 *
 * @example await rejectRelease(workbench, { approver: "bo", signer, reason: "too many wrong refunds" });
 * @throws {SluiceError} as `approveRelease`, without GATE_NOT_MET; ARGUMENT_INVALID  no reason is given
 */
export const rejectRelease = (
  workbench: WorkbenchContext,
  options: ReleaseDecisionOptions,
): Promise<SignedDecisionOnRelease> => decideOnRelease(workbench, "reject", options);

async function decideOnRelease(
  workbench: WorkbenchContext,
  decision: Approval["decision"],
  options: ReleaseDecisionOptions,
): Promise<SignedDecisionOnRelease> {
  const { approver, environment = "production", days = 30, reason = "", atMs = workbench.clock(), pageFile } = options;
  requireArguments(decision, { days, reason });
  const { judge, people } = await decisionJudge(workbench, options);
  const readPage = pageFile === undefined ? null : { file: pageFile, bytes: await readInput(pageFile) };
  return withHistory(actingAs(workbench, approver), "write", async (session) => {
    const manifest = readManifest(session.history, options.bundle);
    const stored = storedPage(session.history, manifest);
    requirePageDigest(stored, manifest, options.pageSha256);
    if (readPage !== null) await requirePage(readPage, stored, manifest);
    const { failed_gates: failed } = stored.page;
    const approval: Approval = {
      decision,
      environment,
      approver,
      not_before: utcSeconds(atMs),
      expires: utcSeconds(atMs + days * dayMs),
      page_sha256: stored.sha256,
      reason,
      gate_override: failed.length === 0 ? null : (options.overrideGates ?? null),
      ...(await intendedReproduction(manifest, options)),
    };
    const statusNow = async () => {
      const question = { ...(await judge()), environment, now: new Date(workbench.clock()) };
      return releaseStatus(session.history, manifest, question);
    };
    const before = await statusNow();
    requireCounted(before, approval, null);
    requireNew(before, approval, options.renew ?? false);
    await requireEqualClaim(session, manifest, options);
    const shown = statusOfPage({ manifest, stored, environment, status: before, nowMs: workbench.clock() });
    await options.confirm?.({ page: stored.page, status: shown });
    // Check before a key is created or a passphrase requested.
    requireGates(failed, approval);
    const signer = await openSigner(options.signer);
    const approvalId = await signApproval(session, await statusNow(), approval, signer);
    const status = await statusNow();
    return {
      approvalId,
      bundleId: manifest.bundleId,
      decision,
      page: stored.page,
      pageSha256: stored.sha256,
      reproduction: approval.reproduction ?? null,
      status: status.result,
      approvalCountText: statusLine(status),
      project: people === null ? null : await advanceRelease(session, manifest, people),
    };
  });
}

function requireArguments(
  decision: Approval["decision"],
  { days, reason }: { readonly days: number; readonly reason: string },
): void {
  if (!(Number.isInteger(days) && days >= 1)) {
    throw new SluiceError("ARGUMENT_INVALID", `days: found ${days}, expected a whole number of at least 1`, {
      hint: "Use 30.",
    });
  }
  if (decision === "reject" && reason.trim() === "") {
    throw new SluiceError("ARGUMENT_INVALID", "reason: found none, expected why the bundle must not serve", {
      hint: "State what must change; the reason is signed and shown to the producer.",
    });
  }
}

/** The reproduction to state in the decision if the claim is equal. */
async function intendedReproduction(
  { predicate }: StoredManifest,
  { reproduce }: ReleaseDecisionOptions,
): Promise<Pick<Approval, "reproduction">> {
  if (reproduce === undefined) return {};
  const { platformHere } = await import("./reproduce/reproduce-bundle.js");
  const { statedReproduction } = await import("./reproduce/stated-reproduction.js");
  const platform = platformHere(reproduce.platform);
  return { reproduction: statedReproduction(predicate, reproduce.from ?? "records", platform) };
}

async function requireEqualClaim(
  session: Session,
  manifest: StoredManifest,
  { reproduce }: ReleaseDecisionOptions,
): Promise<void> {
  if (reproduce === undefined) return;
  const { reproduceBundle } = await import("./reproduce/reproduce-bundle.js");
  const { requireReproduced } = await import("./reproduce/stated-reproduction.js");
  const { claimSourcesOfHistory } = await import("./reproduce/claim-sources.js");
  const { from = "records", platform, workers = defaultWorkers } = reproduce;
  requireReproduced(
    await reproduceBundle(session.context, claimSourcesOfHistory(session, manifest), { from, platform, workers }),
  );
}
