import { sha256Hex } from "../../src/base/sha256.js";
import { asTestedIn } from "../fit/stored-input.js";
import type { Signer } from "../../release/signing/sign-statement.js";
import { parseTrustPolicy } from "../../src/trust/trust-policy.js";
import { acceptanceText, type AuditRecord, findingsText, openChecks } from "../../datasets/audit/audit-document.js";
import { command, say, SluiceError, type Text } from "../../src/base/error.js";
import { saveAudit, settledAudit } from "../../store/records/save-audit.js";
import type { History } from "../../store/history/open.js";
import { findEntry, latestEntry } from "../../store/history/read.js";
import { readAudit, readCatalog, readDataset, readSplit } from "../../store/records/read-records.js";
import { printable, shortId } from "../../src/base/text.js";
import { type Session, withHistory, saveRecord } from "../../store/records/session.js";
import { createManifest } from "../../release/create-manifest.js";
import { releaseNumbers } from "../../release/release-numbers.js";
import { type ProjectPeople, approvalsNeeded, requirePeople } from "../../store/project/people.js";
import type { FinishedStep, ProjectStep } from "./run-steps.js";
import { releaseStepName } from "../../src/documents/choices.js";
import { type Made, madeOf } from "./step-state.js";
import { namePeople, readProject } from "../../store/project/project-file.js";
import { existsSync } from "node:fs";
import { join, dirname } from "node:path";
import { bundleFiles, recordFiles } from "../../src/trust/bundle-layout.js";
import { manifestOf, type StoredManifest } from "../../release/read-signed.js";
import { storedPage } from "../../release/page/stored-page.js";
import { readIfThere } from "../../src/base/files.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { writeNewFile } from "../../src/base/files.js";
import type { Workspace } from "../../store/workspace.js";
import { draftTrust, type PersonKey, projectEnvironment } from "../../release/draft-trust.js";
import { exportApproved, hasAllApprovals } from "../export/export-approved.js";
import { releaseStatus, type ReleaseStatusResult } from "../../release/release-status.js";

export interface ReleaseChoices {
  readonly people: ProjectPeople;
  /** Opens the key of the producer; called only if something is signed. */
  readonly openSigner: () => Promise<Signer>;
  /** Reason for accepting audit findings; undefined: there must be no findings. */
  readonly accept: string | undefined;
}

export function plannedRelease(people: ProjectPeople): ReleaseChoices {
  const openSigner = () => Promise.reject(new SluiceError("INTERNAL", "a plan signs nothing"));
  return { people, openSigner, accept: undefined };
}

/** The release step: the manifest of the calibration, signed by the producer. */
export function releaseStep(session: Session, choices: ReleaseChoices): ProjectStep {
  const { producer } = choices.people;
  return {
    name: releaseStepName,
    inputs: ({ calibration }) => ({ calibration, producer }),
    present: ({ manifest }) => manifest !== undefined && findEntry(session.history, "manifest", manifest) !== undefined,
    run: async (made) => signManifest(session, choices, made),
  };
}

async function signManifest(session: Session, choices: ReleaseChoices, made: Made): Promise<FinishedStep> {
  answerAudit(session, made, choices.accept);
  const { producer } = choices.people;
  const calibrationId = madeOf(made, "calibration");
  const signer = await choices.openSigner();
  const judge = await projectJudge(session.context, choices.people);
  const { bundle_id: bundleId, manifest: manifestId } = await createManifest(session, {
    asTested: (tested) => asTestedIn(session.history, tested),
    ...releaseNumbers(session.history),
    calibrationId,
    bundleVersion: `bundle-${shortId(calibrationId)}`,
    producer,
    signer,
    trust: parseTrustPolicy(judge.trustPolicyBytes),
    createdAtMs: session.context.clock(),
  });
  return {
    made: { bundle: bundleId, manifest: manifestId },
    summary: `bundle ${shortId(bundleId)}, signed by its producer ${producer}`,
  };
}

/** Maximum length of an acceptance in one line. */
const shownAcceptance = 120;

/**
 * Describes the findings of an audit, and who accepted them or that this is still needed.
 * @param accept  reason for which a release that is under way accepts them
 */
export function auditText(record: AuditRecord, accept?: string): string {
  const found = findingsText(record.findings);
  if (found === "") return "no findings";
  if (openChecks(record).length === 0) return `${found}; ${cutText(acceptanceText(record))}`;
  return accept === undefined
    ? `${found}. Accept or correct before a release`
    : `${found}; the release accepts them: ${cutText(printable(accept))}`;
}

const cutText = (text: string): string =>
  text.length <= shownAcceptance ? text : `${text.slice(0, shownAcceptance - 3)}...`;

/** Advice for resolving the open findings: correcting or adding rows. */
export function auditAdvice(record: Pick<AuditRecord, "findings">, open: readonly string[]): Text {
  const share = record.findings.find(({ check }) => check === "out_of_scope_share");
  const isMissing = share !== undefined && open.includes(share.check) && share.count === 0;
  const others = open.filter((check) => check !== "out_of_scope_share" || !isMissing);
  return [
    isMissing ? "Add requests that no workflow handles, labelled none, to the data" : "",
    isMissing && others.length > 0 ? ". " : "",
    ...(others.length === 0 ? [] : say`Correct the rows that ${command`sluice dataset audit`} lists`),
  ];
}

/** The audited rows of a project: the rows of its split, which may include more than the imported ones. */
export function auditedRows(history: History, made: Made) {
  const split = readSplit(history, madeOf(made, "split"));
  const catalog = readCatalog(history, madeOf(made, "catalog"));
  return { dataset: readDataset(history, split.document.dataset_sha256), catalog, split };
}

/** @throws {SluiceError} GATE_NOT_MET  audit findings have not been accepted */
function answerAudit(session: Session, made: Made, reason: string | undefined): void {
  const { history } = session;
  const record = readAudit(history, madeOf(made, "audit")).document;
  const open = openChecks(record);
  if (open.length === 0) return;
  if (reason === undefined) {
    if (openChecks(settledAudit(history, record)).length === 0) return;
    throw new SluiceError("GATE_NOT_MET", `the audit of the requests has findings: ${findingsText(record.findings)}`, {
      hint: say`${auditAdvice(record, open)}, or accept them: ${command`sluice run --release --accept REASON`}`,
    });
  }
  saveAudit(session, { ...auditedRows(history, made), acceptReason: reason, acceptChecks: open });
}

/** People specified by the caller. Default: the people in the project file. */
export interface NamedPeople {
  /** Producer who signs. Default: the producer in the project file, otherwise the actor. */
  readonly producer?: string | undefined;
  /** People who may approve. Default: the approvers in the project file. */
  readonly approvers?: readonly string[] | undefined;
}

/** The project file for looking up people, and whether to save them there. */
interface PeopleLookup {
  readonly file: string;
  readonly actor: string;
  /** false for a plan, which changes nothing. */
  readonly save: boolean;
}

/**
 * The people of a release: those in the project file, otherwise the specified ones, which are then saved there.
 * @throws {SluiceError} USAGE  nobody is specified; DOCUMENT_INVALID  these people could never release, or differ from
 *   those in the file
 */
export async function resolvePeople(
  { file, actor, save }: PeopleLookup,
  { producer, approvers = [] }: NamedPeople,
): Promise<ProjectPeople> {
  const { people: known } = await readProject(file);
  if (producer === undefined && approvers.length === 0 && known !== undefined) return known;
  const wanted = wantedPeople(known, { producer, approvers }, actor);
  if (wanted.approvers.length < approvalsNeeded) {
    throw new SluiceError(
      "USAGE",
      "a release requires two approvers other than the producer, and the project does not name them",
      {
        hint: say`Name them once: ${command`sluice run --release --producer NAME --approver NAME --approver NAME`}`,
      },
    );
  }
  if (save || known !== undefined) return (await namePeople(file, wanted)).people ?? wanted;
  requirePeople(wanted, file);
  return wanted;
}

function wantedPeople(
  known: ProjectPeople | undefined,
  { producer, approvers = [] }: NamedPeople,
  actor: string,
): ProjectPeople {
  return {
    producer: producer ?? known?.producer ?? actor,
    approvers: approvers.length === 0 ? [...(known?.approvers ?? [])] : [...approvers],
  };
}

interface ServingBundle {
  readonly directory: string;
  /** null: the bundle is not in this history. */
  readonly bundle_id: string | null;
  readonly bundle_version: string | null;
}

/** Progress of a project towards production. */
export interface ReleaseStage {
  readonly producer: string;
  readonly approvers: readonly string[];
  /** Whether the producer has signed the bundle of the current calibration. */
  readonly signed: boolean;
  /** The latest signed bundle, possibly of an earlier calibration; null if there is none. */
  readonly latest: ProjectRelease | null;
  /** The exported bundle; null: nothing has been exported. */
  readonly serving: ServingBundle | null;
}

/**
 * State of a project's release; changes nothing.
 * @param signed  whether the release step of the project is up to date
 */
export async function readReleaseStage(
  context: WorkbenchContext,
  { producer, approvers }: ProjectPeople,
  signed: boolean,
): Promise<ReleaseStage> {
  const nothing = { producer, approvers, signed: false, latest: null, serving: null };
  if (!existsSync(context.workspace.history)) return nothing;
  return withHistory(context, "read", async (session) => {
    const entry = latestEntry(session.history, "manifest");
    const manifest = entry === undefined ? null : manifestOf(session.history, entry.sha256);
    const latest = manifest === null ? null : await readProjectRelease(session, manifest, { producer, approvers });
    return { producer, approvers, signed, latest, serving: await servingBundle(session) };
  });
}

async function servingBundle({ context, history }: Session): Promise<ServingBundle | null> {
  const { bundle: directory } = context.workspace;
  const bytes = await readIfThere(join(directory, bundleFiles.manifest));
  if (bytes === null) return null;
  const sha256 = sha256Hex(bytes);
  if (findEntry(history, "manifest", sha256) === undefined) {
    return { directory, bundle_id: null, bundle_version: null };
  }
  const { bundleId, predicate } = manifestOf(history, sha256);
  return { directory, bundle_id: bundleId, bundle_version: predicate.bundle_version };
}

interface ProjectJudge {
  readonly trustPolicyBytes: Buffer;
  readonly revocationBytes: Buffer | null;
  /** People and their keys if the policy is a draft; null if the workspace has a policy. */
  readonly drafted: { readonly people: readonly PersonKey[]; readonly missing: readonly string[] } | null;
}

export interface ProjectRelease {
  readonly bundle_id: string;
  readonly producer: string;
  /** Promises that are weaker than in production, before and now, as on the release page. */
  readonly weaker_promises: readonly string[];
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
  const trust = await resolveTrust(session, judge);
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
  return describeRelease(session, manifest, { judge, status, trust, place, directory: exported ? directory : null });
}

/** State of a project's release; changes nothing. @throws {SluiceError} as `projectJudge` */
async function readProjectRelease(
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
  return describeRelease(session, manifest, { judge, status, trust, place, directory });
}

function judged(session: Session, manifest: StoredManifest, judge: ProjectJudge) {
  const question = { ...judge, environment: projectEnvironment, now: new Date(session.context.clock()) };
  return { question, status: releaseStatus(session.history, manifest, question).result };
}

interface Described extends Pick<ProjectRelease, "status" | "trust" | "directory"> {
  readonly judge: ProjectJudge;
  readonly place: "free" | "same" | "occupied";
}

function describeRelease({ history }: Session, manifest: StoredManifest, described: Described): ProjectRelease {
  const { judge, status, trust, directory, place } = described;
  return {
    bundle_id: manifest.bundleId,
    producer: manifest.predicate.producer,
    weaker_promises: storedPage(history, manifest).page.changes?.weaker_promises ?? [],
    status,
    trust,
    people: judge.drafted?.people ?? [],
    directory,
    occupied: place === "occupied",
  };
}

/** Writes the drafted policy if nobody's key is missing. */
async function resolveTrust(session: Session, judge: ProjectJudge): Promise<ProjectRelease["trust"]> {
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
