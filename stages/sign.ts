import { type OptionsOf, resolveOptions } from "../src/base/options.js";
import { readReleaseOptions, signManifestOptions } from "./options/release.js";
import { asTestedIn } from "./fit/stored-input.js";
import { projectEnvironment } from "../release/draft-trust.js";
import { readProject } from "../store/project/project-file.js";
import { openSigner } from "../release/signing/sign-statement.js";
import { parseTrustPolicy, type TrustStore } from "../src/trust/trust-policy.js";
import { readCalibration } from "../store/records/read-records.js";
import { shortId } from "../src/base/text.js";
import { withHistory } from "../store/records/session.js";
import { type CreatedManifest, createManifest } from "../release/create-manifest.js";
import { readIfThere } from "../src/base/files.js";
import { type JudgeFiles, readRevocations, readTrust, readManifest } from "../release/read-signed.js";
import { releaseNumbers } from "../release/release-numbers.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import type { PageStatus } from "../reports/release/page-status.js";
import type { ReleasePage } from "../reports/release/release-page.js";
import type { ProjectPeople } from "../store/project/people.js";
import { statusOfPage } from "../release/page/status-of-page.js";
import { storedPage } from "../release/page/stored-page.js";
import { projectJudge } from "./project/release-step.js";
import {
  type JudgedApproval,
  type StatusQuestion,
  releaseStatus,
  type ReleaseStatusResult,
  unjudgedDecisions,
} from "../release/release-status.js";
import type { History } from "../store/history/open.js";
import type { BundleId } from "../src/documents/primitives.js";
import { storedApprovals } from "../release/stored-statements.js";

export type SignManifestOptions = OptionsOf<typeof signManifestOptions>;

export interface SignedManifest extends CreatedManifest {
  readonly producer: string;
  readonly bundle_version: string;
  readonly release: number;
  /** Previously exported bundle; null for the first. */
  readonly supersedes: string | null;
  /** Whether any tier has a certified threshold. If not, the bundle routes only exact events. */
  readonly certified: boolean;
  /** Whether a trust policy exists and allows the producer to sign. */
  readonly producer_checked: boolean;
}

/**
 * Pins every identity of a bundle, signs the manifest as producer and saves it with all files. All startup checks of a
 * server run first, so that a bundle that cannot serve is not signed.
 *
 * @example const signer = await openPrivateKey("ann.pem", passphrase); const { bundle_id } = await
 *   signManifest(workbench, { producer: "ann", signer });
 * @throws {SluiceError} RECORD_NOT_FOUND; GATE_NOT_MET  no audit passed or was accepted; CATALOG_INVALID,
 *   ROLE_MISMATCH, SIGNATURE_INVALID, and the errors of a server start
 */
export async function signManifest(workbench: WorkbenchContext, options: SignManifestOptions): Promise<SignedManifest> {
  const given = resolveOptions("signManifest", signManifestOptions, options);
  return withHistory(workbench, "write", async (session) => {
    const calibration = readCalibration(session.history, given.calibration);
    const numbers = releaseNumbers(session.history);
    const trust = await trustIfThere(workbench, given.trust);
    const bundleVersion = given.bundleVersion ?? `bundle-${shortId(calibration.sha256)}`;
    const created = await createManifest(session, {
      asTested: (tested) => asTestedIn(session.history, tested),
      calibrationId: calibration.sha256,
      bundleVersion,
      producer: given.producer,
      signer: await openSigner(given.signer),
      trust,
      createdAtMs: given.atMs ?? workbench.clock(),
      ...numbers,
      rollbackFloor: given.rollbackFloor ?? numbers.rollbackFloor,
    });
    return {
      ...created,
      bundle_version: bundleVersion,
      producer: given.producer,
      release: numbers.release,
      supersedes: numbers.supersedes,
      certified: Object.values(calibration.document.tiers).some(({ confidence }) => confidence !== null),
      producer_checked: trust !== null,
    };
  });
}

/** The specified trust policy, otherwise the workspace's, if any. */
async function trustIfThere(workbench: WorkbenchContext, file: string | undefined): Promise<TrustStore | null> {
  const bytes = file === undefined ? await readIfThere(workbench.workspace.trust) : await readTrust(workbench, file);
  return bytes === null ? null : parseTrustPolicy(bytes);
}

export type ReadReleaseOptions = OptionsOf<typeof readReleaseOptions>;

/** The page that an approver reads, and the existing signatures. */
export interface ReleaseOnRecord {
  readonly manifest: string;
  readonly bundle_id: string;
  readonly page: ReleasePage;
  readonly page_sha256: string;
  /** The current approvals. */
  readonly page_status: PageStatus;
  readonly decisions: readonly JudgedApproval[];
  /** null without a trust policy, which determines whose approvals count. */
  readonly status: ReleaseStatusResult | null;
  /** null without a project, or if the project has no people. */
  readonly people: ProjectPeople | null;
}

/**
 * Reads the page that an approver signs, and the status of the approvals. Saves nothing.
 *
 * @example const { page, status } = await readRelease(workbench);
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, FILE_NOT_FOUND  a specified file does not exist
 */
export async function readRelease(
  workbench: WorkbenchContext,
  options: ReadReleaseOptions = {},
): Promise<ReleaseOnRecord> {
  const given = resolveOptions("readRelease", readReleaseOptions, options);
  const people = given.people ?? (await peopleOfProject(given));
  const judge = await judgeOf(workbench, { ...given, people });
  return withHistory(workbench, "read", async ({ history }) => {
    const manifest = readManifest(history, given.bundle);
    const { environment = decidedEnvironments(history, manifest.bundleId)[0] } = given;
    const nowMs = workbench.clock();
    const status =
      judge === null
        ? { decisions: unjudgedDecisions(history, manifest.bundleId), count: null, result: null }
        : releaseStatus(history, manifest, { ...judge, environment, now: new Date(nowMs) });
    const stored = storedPage(history, manifest);
    return {
      manifest: manifest.sha256,
      bundle_id: manifest.bundleId,
      page: stored.page,
      page_sha256: stored.sha256,
      page_status: statusOfPage({ manifest, stored, environment, status, nowMs }),
      decisions: status.decisions,
      status: status.result,
      people,
    };
  });
}

async function peopleOfProject({ project, environment }: ReadReleaseOptions): Promise<ProjectPeople | null> {
  if (project === undefined || environment !== projectEnvironment) return null;
  return (await readProject(project)).people ?? null;
}

/**
 * The trust policy that determines which approvals count: the specified one, otherwise the workspace's, otherwise the
 * draft for the people of the project; null if there is none.
 */
export async function judgeOf(
  workbench: WorkbenchContext,
  files: Omit<JudgeFiles, "environment"> & { readonly people: ProjectPeople | null },
): Promise<Pick<StatusQuestion, "trustPolicyBytes" | "revocationBytes" | "drafted"> | null> {
  const { trust, people } = files;
  const trustPolicyBytes =
    trust === undefined ? await readIfThere(workbench.workspace.trust) : await readTrust(workbench, trust);
  if (trustPolicyBytes !== null) {
    return { trustPolicyBytes, revocationBytes: await readRevocations(workbench, files) };
  }
  return people === null ? null : projectJudge(workbench, people);
}

/**
 * The environments with a decision about a bundle, latest decision first. For a bundle without decisions, the
 * environment of project releases.
 */
export function decidedEnvironments(history: History, bundleId: BundleId): readonly [string, ...string[]] {
  const decided = storedApprovals(history, bundleId)
    .map(({ approval }) => approval.environment)
    .toReversed();
  const [first = projectEnvironment, ...others] = new Set(decided);
  return [first, ...others];
}
