import type { PageStatus } from "../../reports/release/page-status.js";
import type { ReleasePage } from "../../reports/release/release-page.js";
import type { ProjectPeople } from "../../store/project/people.js";
import { decidedEnvironments } from "../overview/decided-environments.js";
import { withHistory } from "../../store/records/with-history.js";
import { type JudgeFiles, namesOf } from "../project/decision-judge.js";
import { statusOfPage } from "../../release/page/status-of-page.js";
import { storedPage } from "../../release/page/stored-page.js";
import { projectJudge } from "../project/project-release.js";
import { readManifest } from "../../release/read-manifest.js";
import { readIfThere, readRevocations } from "../../release/read-revocations.js";
import { readTrust } from "../../release/read-trust.js";
import {
  type MarkedDecision,
  releaseStatus,
  type ReleaseQuestion,
  type ReleaseStatusResult,
  unjudgedDecisions,
} from "../../release/release-status.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

/** The bundle to read, and what judges its decisions. */
export interface ReadReleaseOptions extends Omit<JudgeFiles, "environment"> {
  /** Default: that of the newest decision about the bundle, else "production". */
  readonly environment?: string | undefined;
  /** Bundle id or its beginning. Default: the latest manifest. */
  readonly bundle?: string | undefined;
  /** People of the project, who count where the workspace has no trust policy yet. Default: none. */
  readonly people?: ProjectPeople | null;
}

/** What an approver reads, and who has signed. */
export interface ReleaseOnRecord {
  readonly manifestId: string;
  readonly bundleId: string;
  /** What an approval signs: the release page. */
  readonly page: ReleasePage;
  /** The approvals at this moment. */
  readonly pageStatus: PageStatus;
  readonly decisions: readonly MarkedDecision[];
  /** null without a trust policy, which says who counts. */
  readonly status: ReleaseStatusResult | null;
}

/**
 * Reads what an approver signs, and how far the approvals are. Saves nothing.
 *
 * @example const { page, status } = await readRelease(workbench);
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, FILE_NOT_FOUND  a named file is not there
 */
export async function readRelease(
  workbench: WorkbenchContext,
  options: ReadReleaseOptions = {},
): Promise<ReleaseOnRecord> {
  const judge = await judgeOf(workbench, options);
  return withHistory(workbench, "read", async ({ history }) => {
    const manifest = readManifest(history, options.bundle);
    const { environment = decidedEnvironments(history, manifest.bundleId)[0] } = options;
    const nowMs = workbench.clock();
    const status =
      judge === null
        ? { decisions: unjudgedDecisions(history, manifest.bundleId), count: null, result: null }
        : releaseStatus(history, manifest, { ...judge, environment, now: new Date(nowMs) });
    const stored = storedPage(history, manifest);
    return {
      manifestId: manifest.sha256,
      bundleId: manifest.bundleId,
      page: stored.page,
      pageStatus: statusOfPage({ manifest, stored, environment, status, nowMs }),
      decisions: status.decisions,
      status: status.result,
    };
  });
}

/**
 * The trust policy that decides which approvals count: the named one, else that of the workspace, else the draft for the people of
 * the project; null without any.
 */
export async function judgeOf(
  workbench: WorkbenchContext,
  options: Omit<ReadReleaseOptions, "bundle" | "environment">,
): Promise<Pick<ReleaseQuestion, "trustPolicyBytes" | "revocationBytes"> | null> {
  const { trustFile, people = null } = options;
  const trustPolicyBytes =
    trustFile === undefined ? await readIfThere(workbench.workspace.trust) : await readTrust(workbench, trustFile);
  if (trustPolicyBytes !== null) {
    return { trustPolicyBytes, revocationBytes: await readRevocations(workbench, namesOf(options)) };
  }
  return people === null ? null : projectJudge(workbench, people);
}
