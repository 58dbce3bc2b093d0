import { projectEnvironment } from "../release/draft-trust.js";
import { readProject } from "../store/project/project-file.js";
import type { Signer } from "../release/signing/signer.js";
import { parseTrustPolicy, type TrustStore } from "../src/trust/trust-policy.js";
import { readCalibration } from "../store/records/read-records.js";
import { shortId } from "../src/base/text.js";
import { withHistory } from "../store/records/with-history.js";
import { type CreatedManifest, createManifest } from "../release/create-manifest.js";
import { readIfThere, readRevocations } from "../release/read-revocations.js";
import { readTrust } from "../release/read-trust.js";
import { releaseNumbers } from "../release/release-numbers.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import type { PageStatus } from "../reports/release/page-status.js";
import type { ReleasePage } from "../reports/release/release-page.js";
import type { ProjectPeople } from "../store/project/people.js";
import { type JudgeFiles, namesOf } from "./project/decision-judge.js";
import { statusOfPage } from "../release/page/status-of-page.js";
import { storedPage } from "../release/page/stored-page.js";
import { projectJudge } from "./project/project-release.js";
import { readManifest } from "../release/read-manifest.js";
import {
  type MarkedDecision,
  type ReleaseQuestion,
  releaseStatus,
  type ReleaseStatusResult,
  unjudgedDecisions,
} from "../release/release-status.js";
import type { History } from "../store/history/open.js";
import { keptApprovals } from "../release/kept-decisions.js";

/** A signer, or a function that opens one after all other checks, so that nobody types a passphrase in vain. */
export type SignerSource = Signer | (() => Promise<Signer>);

/** Opens a signer if needed. */
export const openSigner = async (source: SignerSource): Promise<Signer> =>
  typeof source === "function" ? source() : source;

/** What to sign, and who signs. */
export interface SignManifestOptions {
  /** Who signs; a producer of the trust policy. */
  readonly producer: string;
  readonly signer: SignerSource;
  /** Id of the calibration or its beginning. Default: the latest. */
  readonly calibration?: string | undefined;
  /** Default: made from the calibration. */
  readonly bundleVersion?: string | undefined;
  /** Trust policy that must let the producer sign. Default: trust.json of the workspace, when there is one. */
  readonly trustFile?: string | undefined;
  /** Smallest release that may still run after this one, at least 1. Default: the one before. */
  readonly rollbackFloor?: number | undefined;
  /** Time that the manifest carries, milliseconds since 1970 UTC. Default: now. */
  readonly atMs?: number;
}

/** A manifest that was signed and saved. */
export interface SignedManifest extends CreatedManifest {
  readonly bundleVersion: string;
  /** Number of this release, at least 1. */
  readonly release: number;
  /** Bundle that was exported before; null for the first. */
  readonly supersedes: string | null;
  /** Some tier has a certified threshold. Otherwise the bundle routes only exact events. */
  readonly certified: boolean;
  /** A trust policy exists and lets the producer sign. */
  readonly producerChecked: boolean;
}

/**
 * Pins every identity of a bundle, signs it as its producer and saves it with all files. Every startup check of a
 * server runs first, so that nobody signs what cannot serve.
 *
 * @example const signer = await openPrivateKey("ann.pem", passphrase); const { bundleId } = await
 *   signManifest(workbench, { producer: "ann", signer });
 * @throws {SluiceError} RECORD_NOT_FOUND; GATE_NOT_MET  no audit passed or was accepted; CATALOG_INVALID,
 *   ROLE_MISMATCH, SIGNATURE_INVALID, and the codes of a server's start
 */
export async function signManifest(workbench: WorkbenchContext, options: SignManifestOptions): Promise<SignedManifest> {
  return withHistory(workbench, "write", async (session) => {
    const calibration = readCalibration(session.history, options.calibration);
    const numbers = releaseNumbers(session.history);
    const trust = await trustIfThere(workbench, options.trustFile);
    const bundleVersion = options.bundleVersion ?? `bundle-${shortId(calibration.sha256)}`;
    const created = await createManifest(session, {
      calibrationId: calibration.sha256,
      bundleVersion,
      producer: options.producer,
      signer: await openSigner(options.signer),
      trust,
      createdAtMs: options.atMs ?? workbench.clock(),
      ...numbers,
      rollbackFloor: options.rollbackFloor ?? numbers.rollbackFloor,
    });
    return {
      ...created,
      bundleVersion,
      release: numbers.release,
      supersedes: numbers.supersedes,
      certified: Object.values(calibration.document.tiers).some(({ confidence }) => confidence !== null),
      producerChecked: trust !== null,
    };
  });
}

/** The trust policy that was named, otherwise that of the workspace where there is one. */
async function trustIfThere(workbench: WorkbenchContext, file: string | undefined): Promise<TrustStore | null> {
  const bytes = file === undefined ? await readIfThere(workbench.workspace.trust) : await readTrust(workbench, file);
  return bytes === null ? null : parseTrustPolicy(bytes);
}

/** The bundle to read, and what judges its decisions. */
export interface ReadReleaseOptions extends Omit<JudgeFiles, "environment"> {
  /** Default: that of the newest decision about the bundle, else "production". */
  readonly environment?: string | undefined;
  /** Bundle id or its beginning. Default: the latest manifest. */
  readonly bundle?: string | undefined;
  /** People of the project, who count where the workspace has no trust policy yet. Default: those of `project`. */
  readonly people?: ProjectPeople | null;
  /** Project file, whose people count for the environment of its releases. Default: none. */
  readonly project?: string | undefined;
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
  /** null where no project was named, or it names nobody. */
  readonly people: ProjectPeople | null;
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
  const people = options.people ?? (await peopleOfProject(options));
  const judge = await judgeOf(workbench, { ...options, people });
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
      people,
    };
  });
}

async function peopleOfProject({ project, environment }: ReadReleaseOptions): Promise<ProjectPeople | null> {
  if (project === undefined || environment !== projectEnvironment) return null;
  return (await readProject(project)).people ?? null;
}

/**
 * The trust policy that decides which approvals count: the named one, else that of the workspace, else the draft for the people of
 * the project; null without any.
 */
export async function judgeOf(
  workbench: WorkbenchContext,
  options: Omit<ReadReleaseOptions, "bundle" | "environment" | "project">,
): Promise<Pick<ReleaseQuestion, "trustPolicyBytes" | "revocationBytes"> | null> {
  const { trustFile, people = null } = options;
  const trustPolicyBytes =
    trustFile === undefined ? await readIfThere(workbench.workspace.trust) : await readTrust(workbench, trustFile);
  if (trustPolicyBytes !== null) {
    return { trustPolicyBytes, revocationBytes: await readRevocations(workbench, namesOf(options)) };
  }
  return people === null ? null : projectJudge(workbench, people);
}

/**
 * The environments that a bundle was decided for, the newest decision first: where its approvals are judged. That of a
 * project for a bundle that nobody has decided about.
 */
export function decidedEnvironments(history: History, bundleId: string): readonly [string, ...string[]] {
  const decided = keptApprovals(history)
    .filter((approval) => approval.bundleId === bundleId)
    .map(({ predicate }) => predicate.environment)
    .toReversed();
  const [first = projectEnvironment, ...others] = new Set(decided);
  return [first, ...others];
}
