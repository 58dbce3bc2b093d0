import type { ReproductionSource } from "../../src/documents/choices.js";
import { utcSeconds } from "../../src/base/text.js";
import { readPacked } from "../../release/bundle-files/read-packed.js";
import { type JudgeFiles, namesOf } from "../project/decision-judge.js";
import { readRevocations } from "../../release/read-revocations.js";
import { readTrust } from "../../release/read-trust.js";
import { consulted, type ConsultedList } from "../../release/release-status.js";
import { verifyStart } from "../../release/verify-start.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

/** Which bundle is verified, and who judges it. */
export interface VerifyReleaseOptions extends JudgeFiles {
  /** Folder, archive or OCI layout. Default: bundle/ of the workspace. */
  readonly bundle?: string | undefined;
}

/** A bundle that a server would serve; one that does not verify is an error. */
export interface VerifiedRelease {
  readonly directory: string;
  readonly bundle_id: string;
  readonly bundle_version: string;
  readonly producer: string;
  readonly environment: string;
  readonly approvals: readonly {
    readonly principal: string;
    readonly expires: string;
    /** What this person reproduced the claim from; null: nothing is stated. */
    readonly derived_from: ReproductionSource | null;
  }[];
  /** People who must approve, and approvers who still could. */
  readonly required: number;
  readonly can_sign: readonly string[];
  /** Decisions that do not count, and why. */
  readonly not_counted: readonly { readonly file: string; readonly code: string; readonly message: string }[];
  /** The revocation list that was consulted; null: none was. */
  readonly revocation_list: ConsultedList | null;
  /** First moment at which the same verification would fail. */
  readonly expires_at: string;
}

/**
 * Verifies a bundle offline: everything that a server checks before it serves it, models and golden decisions included.
 *
 * @example await verifyRelease(workbench, { bundle: "bundle.tar", trustFile: "trust.json" });
 * @throws {SluiceError} FILE_NOT_FOUND; THRESHOLD_NOT_MET and the other codes of verifying
 */
export async function verifyRelease(
  workbench: WorkbenchContext,
  options: VerifyReleaseOptions = {},
): Promise<VerifiedRelease> {
  const { bundle: directory = workbench.workspace.bundle, environment = "production" } = options;
  const { bundleId, manifest, approvals, approvalCount, question, expiresAt } = await verifyStart({
    directory,
    files: await readPacked(directory),
    trustPolicyBytes: await readTrust(workbench, options.trustFile),
    revocationBytes: await readRevocations(workbench, namesOf(options)),
    environment,
    now: new Date(workbench.clock()),
  });
  const derivedFrom = new Map(approvalCount.derived.map((approval) => [approval.principal, approval.derivedFrom]));
  return {
    directory,
    bundle_id: bundleId,
    bundle_version: manifest.bundle_version,
    producer: manifest.producer,
    environment,
    approvals: approvals.map(({ principal, expires }) => ({
      principal,
      expires: utcSeconds(expires.getTime()),
      derived_from: derivedFrom.get(principal) ?? null,
    })),
    required: approvalCount.required ?? 0,
    can_sign: approvalCount.canSign,
    not_counted: approvalCount.judged.flatMap(({ problem }) => (problem === null ? [] : [problem])),
    revocation_list: consulted(question.revocations),
    expires_at: utcSeconds(expiresAt.getTime()),
  };
}
