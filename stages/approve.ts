import { defaultWorkers } from "./choices.js";
import { type OptionsOf, resolveOptions, type ValuesOf } from "../src/base/options.js";
import { signDecisionOptions } from "./options/release.js";
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
import { type StoredManifest, readManifest } from "../release/read-signed.js";
import { releaseStatus, type ReleaseStatusResult, statusLine } from "../release/release-status.js";
import { actingAs, type WorkbenchContext } from "../store/workbench-context.js";
import { openSigner } from "../release/signing/sign-statement.js";

const dayMs = 86_400_000;

export type ReleaseDecisionOptions = OptionsOf<typeof signDecisionOptions>;

export interface SignedDecisionOnRelease {
  readonly approval: string;
  readonly bundle_id: string;
  readonly decision: Approval["decision"];
  readonly approver: string;
  readonly environment: string;
  readonly days: number;
  readonly page: ReleasePage;
  /** Digest of the page, which the decision states. */
  readonly page_sha256: string;
  readonly reproduction: StatedReproduction | null;
  readonly status: ReleaseStatusResult;
  readonly approvalCountText: string;
  readonly release: ProjectRelease | null;
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

type Decision = ValuesOf<typeof signDecisionOptions>;

async function decideOnRelease(
  workbench: WorkbenchContext,
  decision: Approval["decision"],
  given: ReleaseDecisionOptions,
): Promise<SignedDecisionOnRelease> {
  const options = resolveOptions(`${decision}Release`, signDecisionOptions, given);
  const { approver, environment, days, reason = "", atMs = workbench.clock(), page } = options;
  requireArguments(decision, { days, reason });
  const { judge, people } = await decisionJudge(workbench, options);
  const readPage = page === undefined ? null : { file: page, bytes: await readInput(page) };
  return withHistory(actingAs(workbench, approver), "write", async (session) => {
    const manifest = readManifest(session.history, options.bundle);
    const stored = storedPage(session.history, manifest);
    requirePageDigest(stored, manifest, options.pageDigest);
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
    requireNew(before, approval, options.renew);
    await requireEqualClaim(session, manifest, options);
    const shown = statusOfPage({ manifest, stored, environment, status: before, nowMs: workbench.clock() });
    await options.confirm?.({ page: stored.page, status: shown });
    // Check before a key is created or a passphrase requested.
    requireGates(failed, approval);
    const signer = await openSigner(options.signer);
    const approvalId = await signApproval(session, await statusNow(), approval, signer);
    const status = await statusNow();
    return {
      approval: approvalId,
      decision,
      approver,
      environment,
      days,
      bundle_id: manifest.bundleId,
      page: stored.page,
      page_sha256: stored.sha256,
      reproduction: approval.reproduction ?? null,
      status: status.result,
      approvalCountText: statusLine(status),
      release: people === null ? null : await advanceRelease(session, manifest, people),
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
  { reproduce, from, platform }: Decision,
): Promise<Pick<Approval, "reproduction">> {
  if (!reproduce) return {};
  const { platformHere } = await import("./reproduce/reproduce-bundle.js");
  const { statedReproduction } = await import("./reproduce/stated-reproduction.js");
  return { reproduction: statedReproduction(predicate, from, platformHere(requirePlatform(platform))) };
}

function requirePlatform(platform: Decision["platform"]): NonNullable<Decision["platform"]> {
  if (platform !== undefined) return platform;
  throw new SluiceError("ARGUMENT_INVALID", "platform: found none, expected where the claim is reproduced", {
    hint: "Pass { platform: process.platform, arch: process.arch, node: process.versions.node }.",
  });
}

async function requireEqualClaim(
  session: Session,
  manifest: StoredManifest,
  { reproduce, from, platform: stated }: Decision,
): Promise<void> {
  if (!reproduce) return;
  const { reproduceBundle } = await import("./reproduce/reproduce-bundle.js");
  const { requireReproduced } = await import("./reproduce/stated-reproduction.js");
  const { claimSourcesOfHistory } = await import("./reproduce/claim-sources.js");
  const platform = requirePlatform(stated);
  requireReproduced(
    await reproduceBundle(session.context, claimSourcesOfHistory(session, manifest), {
      from,
      platform,
      workers: defaultWorkers,
    }),
  );
}
