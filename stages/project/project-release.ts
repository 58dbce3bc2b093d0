import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundleFiles, recordFiles } from "../../src/trust/bundle-layout.js";
import { writeNewFile } from "../../src/base/files.js";
import type { ProjectPeople } from "../../store/project/people.js";
import { saveRecord, type Session } from "../../store/records/session.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import type { Workspace } from "../../store/workspace.js";
import { draftTrust, type PersonKey, projectEnvironment } from "../../release/draft-trust.js";
import { exportApproved, hasAllApprovals } from "../export/export-approved.js";
import { type StoredManifest, readIfThere } from "../../release/read-signed.js";
import { releaseStatus, type ReleaseStatusResult } from "../../release/release-status.js";

/** Inputs for judging the approvals of a project. */
export interface ProjectJudge {
  readonly trustPolicyBytes: Buffer;
  readonly revocationBytes: Buffer | null;
  /** People and their keys if the policy is a draft; null if the workspace has a policy. */
  readonly drafted: { readonly people: readonly PersonKey[]; readonly missing: readonly string[] } | null;
}

/** State of a project's release. */
export interface ProjectRelease {
  readonly bundle_id: string;
  readonly producer: string;
  readonly status: ReleaseStatusResult;
  /** `drafted`: a person has no key yet. `written`: written by this call. */
  readonly trust: "drafted" | "written" | "in_force";
  readonly people: readonly PersonKey[];
  /** Folder of the approved bundle; null if approvals are missing or the folder contains a different bundle. */
  readonly directory: string | null;
  /** Whether the folder contains a different bundle, which may be in use. */
  readonly occupied: boolean;
}

/**
 * The trust policy of the workspace, otherwise the draft for the people of the project.
 * @throws {SluiceError} as `draftTrust`
 */
export async function projectJudge(
  { workspace, clock }: Pick<WorkbenchContext, "workspace" | "clock">,
  people: ProjectPeople,
): Promise<ProjectJudge> {
  const inForce = await readIfThere(workspace.trust);
  const revocationBytes = await readIfThere(join(dirname(workspace.trust), "revocations.json"));
  if (inForce !== null) return { trustPolicyBytes: inForce, revocationBytes, drafted: null };
  const { bytes, ...drafted } = await draftTrust(workspace, people, clock());
  return { trustPolicyBytes: bytes, revocationBytes, drafted };
}

/**
 * Does the automatic steps of a release: writes the trust policy once each of its people has a key, and exports the
 * bundle once it is approved, again when a later approval renews it. A folder with another bundle is not replaced,
 * because a server may run from it.
 * @throws {SluiceError} those of `projectJudge` and of `exportApproved`
 */
export async function advanceRelease(
  session: Session,
  manifest: StoredManifest,
  people: ProjectPeople,
): Promise<ProjectRelease> {
  const judge = await projectJudge(session.context, people);
  const trust = await settleTrust(session, judge);
  const { status, question } = judged(session, manifest, judge);
  const ready = status.approved && trust !== "drafted";
  const place = await placeOf(session.context.workspace, manifest);
  const { bundle: directory } = session.context.workspace;
  const isOutdated = place === "same" && !(await hasAllApprovals(session.history, manifest.bundleId, directory));
  if (ready && (place === "free" || isOutdated)) {
    const withRecords = isOutdated && existsSync(join(directory, recordFiles.scored));
    await exportApproved(session, { manifest, directory, replace: isOutdated, withRecords, ...question });
  }
  const exported = ready && place !== "occupied";
  return describeRelease(manifest, { judge, status, trust, place, directory: exported ? directory : null });
}

/**
 * State of a project's release; changes nothing.
 * @throws {SluiceError} as `projectJudge`
 */
export async function readProjectRelease(
  session: Session,
  manifest: StoredManifest,
  people: ProjectPeople,
): Promise<ProjectRelease> {
  const { workspace } = session.context;
  const judge = await projectJudge(session.context, people);
  const { status } = judged(session, manifest, judge);
  const trust = judge.drafted === null ? "in_force" : "drafted";
  const place = await placeOf(workspace, manifest);
  const directory = status.approved && place === "same" ? workspace.bundle : null;
  return describeRelease(manifest, { judge, status, trust, place, directory });
}

function judged(session: Session, manifest: StoredManifest, judge: ProjectJudge) {
  const question = { ...judge, environment: projectEnvironment, now: new Date(session.context.clock()) };
  return { question, status: releaseStatus(session.history, manifest, question).result };
}

interface Described extends Pick<ProjectRelease, "status" | "trust" | "directory"> {
  readonly judge: ProjectJudge;
  readonly place: "free" | "same" | "occupied";
}

function describeRelease(manifest: StoredManifest, described: Described): ProjectRelease {
  const { judge, status, trust, directory, place } = described;
  return {
    bundle_id: manifest.bundleId,
    producer: manifest.predicate.producer,
    status,
    trust,
    people: judge.drafted?.people ?? [],
    directory,
    occupied: place === "occupied",
  };
}

/** Writes the drafted policy if nobody's key is missing. */
async function settleTrust(session: Session, judge: ProjectJudge): Promise<ProjectRelease["trust"]> {
  if (judge.drafted === null) return "in_force";
  if (judge.drafted.missing.length > 0) return "drafted";
  await writeNewFile(session.context.workspace.trust, judge.trustPolicyBytes, 0o644);
  saveRecord(session, "trust", judge.trustPolicyBytes);
  return "written";
}

/** Whether the bundle folder is empty, contains this bundle, or contains a different one. */
async function placeOf(workspace: Workspace, { envelopeBytes }: StoredManifest): Promise<Described["place"]> {
  if (!existsSync(workspace.bundle)) return "free";
  const there = await readIfThere(join(workspace.bundle, bundleFiles.manifest));
  return there?.equals(envelopeBytes) === true ? "same" : "occupied";
}
