import { withHistory } from "../records/with-history.js";
import { type JudgeFiles, namesOf } from "../release/decision-judge.js";
import { readManifest } from "../release/read-manifest.js";
import { readIfThere, readRevocations } from "../release/read-revocations.js";
import { readTrust } from "../release/read-trust.js";
import {
  type MarkedDecision,
  releaseStanding,
  type StandingResult,
  unjudgedDecisions,
} from "../release/release-standing.js";
import { releaseSummary, type SummaryWithDigest } from "../release/release-summary.js";
import type { WorkbenchContext } from "../workbench-context.js";

/** Which bundle is read, and by what its decisions are judged. */
export interface ReadReleaseOptions extends JudgeFiles {
  /** Bundle id or its beginning. Default: the latest manifest. */
  readonly bundle?: string | undefined;
}

/** What an approver reads, and who has signed. */
export interface ReleaseOnRecord {
  readonly manifestId: string;
  readonly bundleId: string;
  /** What an approval signs: the summary and its digest. */
  readonly release: SummaryWithDigest;
  readonly decisions: readonly MarkedDecision[];
  /** null without a trust policy, which says who counts. */
  readonly standing: StandingResult | null;
}

/**
 * Reads what an approver signs, and how far the approvals are. Saves nothing.
 *
 * @example const { release, standing } = await readRelease(workbench);
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, FILE_NOT_FOUND  a named file is not there
 */
export async function readRelease(
  workbench: WorkbenchContext,
  options: ReadReleaseOptions = {},
): Promise<ReleaseOnRecord> {
  const { environment = "production", trustFile } = options;
  const trustPolicyBytes =
    trustFile === undefined ? await readIfThere(workbench.workspace.trust) : await readTrust(workbench, trustFile);
  const revocationBytes = trustPolicyBytes === null ? null : await readRevocations(workbench, namesOf(options));
  return withHistory(workbench, "read", async ({ history }) => {
    const manifest = readManifest(history, options.bundle);
    const now = new Date(workbench.clock());
    const { decisions, result } =
      trustPolicyBytes === null
        ? { decisions: unjudgedDecisions(history, manifest.bundleId), result: null }
        : releaseStanding(history, manifest, { trustPolicyBytes, revocationBytes, environment, now });
    return {
      manifestId: manifest.sha256,
      bundleId: manifest.bundleId,
      release: releaseSummary(history, manifest),
      decisions,
      standing: result,
    };
  });
}
