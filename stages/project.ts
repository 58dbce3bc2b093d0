import { statementOf } from "../src/documents/calibration.js";
import { type OptionsOf, resolveOptions, type ValuesOf } from "../src/base/options.js";
import { type runOptions, runProjectOptions, statusOptions } from "./options/project.js";
import { holdGates, type HoldGatesOptions, readGates } from "./evaluate/hold-gates.js";
import { textWarnings } from "../datasets/sources/text-checks.js";
import type { GateOutcome } from "../eval/gates/apply-gate.js";
import type { History } from "../store/history/open.js";
import { type ProjectFile, readProject } from "../store/project/project-file.js";
import { projectSteps } from "./project/project-steps.js";
import {
  resolvePeople,
  plannedRelease,
  type ReleaseChoices,
  readReleaseStage,
  type ReleaseStage,
  advanceRelease,
  type ProjectRelease,
} from "./project/release-step.js";
import { type RanSteps, runSteps, type RunStepsOptions, type StepReport } from "./project/run-steps.js";
import { releaseStepName, stepNames } from "../src/documents/choices.js";
import { type Made, madeOf, readStepState, writeStepState } from "./project/step-state.js";
import { readAudit, readCalibration, readDataset, readEvaluationOf } from "../store/records/read-records.js";
import { plannedHeadline } from "../reports/headline.js";
import { describeKinds } from "../reports/text/calibration-text.js";
import { listEntries } from "../store/history/read.js";
import type { Sha256 } from "../src/base/sha256.js";
import { type ProjectChange, whatChanged } from "./project/what-changed.js";
import { judgeRelease } from "../reports/judge-release.js";
import { type HeldOutFindings, heldOutVerdict } from "./project/held-out.js";
import { type Session, withHistory } from "../store/records/session.js";
import { lastReleased, type TakenCatalogVersion, takenCatalogVersion } from "../release/release-numbers.js";
import { SluiceError, textOf } from "../src/base/error.js";
import { readInput, replaceFile } from "../src/base/files.js";
import { withCatalogVersion } from "./catalog/edit-catalog.js";
import { parseCatalog } from "../src/router/catalog/load.js";
import { manifestOf } from "../release/read-signed.js";
import { actingAs, type WorkbenchContext } from "../store/workbench-context.js";
import { openSigner } from "../release/signing/sign-statement.js";
import { existsSync } from "node:fs";
import type { ProjectPeople } from "../store/project/people.js";
import { openChecks } from "../datasets/audit/audit-document.js";
import { requireNote, saveRunNote } from "../store/records/run-note.js";
import { settledAudit } from "../store/records/save-audit.js";

/**
 * With `release`, the bundle is signed as its producer and, once there are enough approvals, the trust policy is written
 * and the bundle exported. Given people are saved in the project file. Nothing is signed while a gate is not met.
 */
export type RunProjectOptions = OptionsOf<typeof runProjectOptions>;
type Run = ValuesOf<typeof runProjectOptions>;

export interface RanProject {
  readonly project: string;
  readonly steps: readonly StepReport[];
  /** Ids of the records that the steps made, and the planned target. */
  readonly made: Made;
  /** Why later steps cannot run; null if nothing blocks them. */
  readonly stop: string | null;
  /** Sentences of the claims; empty before there is a calibration. */
  readonly claims: readonly string[];
  /** Requests that stand alone, follow-ups, and texts of two wishes apart; empty without labelled follow-ups. */
  readonly kinds: readonly string[];
  /** Promise, routed share and wrong routes of the test, and whether the planned target was missed; null before there is a calibration. */
  readonly headline: string | null;
  /** What this call changed compared with the calibration before; null if it made none, or the first one. */
  readonly changed: ProjectChange | null;
  /** Describes whether held-out requests agree with the claims; null before there is a calibration. */
  readonly verdict: string | null;
  /** Gates of the project and the caller, and the gates of the held-out verdict. */
  readonly gates: readonly GateOutcome[];
  /** Verdict of the held-out rows on the claim; null before they are measured. */
  readonly held_out: HeldOutFindings | null;
  /** The report page; null before it exists. */
  readonly report: string | null;
  /** Release status; null if nothing was signed. */
  readonly release: ProjectRelease | null;
  /** Set where a release had the version of this catalog for another one: the catalog file has the next version now. */
  readonly taken_version: TakenCatalogVersion | null;
  /** What a release would still have to be told. */
  readonly unsettled: UnsettledRelease;
}

/** What `sluice run --release` must be told before it can sign. */
export interface UnsettledRelease {
  /** Whether the audit has findings that nobody accepted. */
  readonly findings: boolean;
  /** Whether the project names nobody who signs and approves. */
  readonly people: boolean;
}

const stepsBeforeRun: readonly string[] = stepNames.slice(0, stepNames.indexOf("score"));

/**
 * Runs the missing steps of a project: import, split, audit, score, plan, calibrate, report, and with `release` the
 * signature of its producer. If nothing changed, a second call does nothing.
 *
 * @example const { claims } = await runProject(workbench, { file: "my-router/sluice.yaml" });
 * @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID, and the errors of the steps; USAGE  a release
 *   without people, or an invalid gate; GATE_NOT_MET  audit findings have not been accepted
 */
export async function runProject(workbench: WorkbenchContext, given: RunProjectOptions = {}): Promise<RanProject> {
  const options = resolveOptions("runProject", runProjectOptions, given);
  const { file, gate, baseline, note, until } = options;
  requireNote(note);
  if (note !== undefined && stepsBeforeRun.includes(until ?? ""))
    throw new SluiceError("USAGE", `a note with steps until ${until}: they make no run`, { hint: "Omit the note." });
  const choices = options.release ? await choicesOf(workbench, options) : undefined;
  const project = await readProject(file);
  const gates = readGates({ gate: [...(project.gates ?? []), ...gate], baseline });
  const producer = (choices ?? project).people?.producer;
  const context = producer === undefined ? workbench : actingAs(workbench, producer);
  return withHistory(context, "write", async (session) => {
    const takenVersion = await raiseTakenVersion(session.history, project);
    const before = latestCalibration(session.history);
    const measured = await runOnce(session, { project, choices: undefined, force: options.force }, options);
    nameRun(session, measured, note);
    const heldOut = heldOutOf(session.history, measured.made);
    const held = [...(heldOut?.gates ?? []), ...gatesOf(session.history, measured.made, { gates, baseline })];
    // Nothing is signed if a gate is not met, unless the caller allows it.
    const met = held.every(({ verdict }) => verdict === "pass") || options.despiteGates;
    const releaseOnly = { ...options, onStep: onlyRelease(options.onStep) };
    const ran =
      choices !== undefined && met ? await runOnce(session, { project, choices, force: false }, releaseOnly) : measured;
    return {
      project: project.name,
      steps: ran.reports,
      made: ran.made,
      stop: ran.stop,
      ...claimsOf(session.history, ran.made),
      changed: changedSince(session.history, before, ran.made),
      gates: held,
      held_out: heldOut,
      report: ran.made.report === undefined ? null : context.workspace.report,
      release: await advance(session, ran.made, project),
      taken_version: takenVersion,
      unsettled: unsettledRelease(session.history, ran.made, choices ?? project),
    };
  });
}

/** Saves the note of the run that the score step made or found. */
function nameRun(session: Session, { reports, made }: RanSteps, note: string | undefined): void {
  const scored = reports.some(({ name, state }) => name === "score" && state !== "waiting");
  if (scored) saveRunNote(session, madeOf(made, "run"), note);
}

/**
 * Writes the next version into the catalog file before anything is measured, if a release has its version for another
 * catalog. null: nothing is written, also for an invalid catalog, which its import refuses.
 */
async function raiseTakenVersion(
  history: History,
  { catalog: file }: ProjectFile,
): Promise<TakenCatalogVersion | null> {
  if (lastReleased(history) === null) return null;
  const bytes = await readInput(file);
  try {
    const { catalog_version: version, sha256 } = parseCatalog(bytes, file);
    const taken = takenCatalogVersion(history, { version, sha256 });
    if (taken !== null) await replaceFile(file, withCatalogVersion(bytes, taken.next), 0o644);
    return taken;
  } catch (thrown) {
    if (thrown instanceof SluiceError && thrown.code !== "WRITE_FAILED") return null;
    throw thrown;
  }
}

function unsettledRelease(
  history: History,
  { audit }: Made,
  { people }: { readonly people?: ProjectPeople | undefined },
): UnsettledRelease {
  const findings =
    audit !== undefined && openChecks(settledAudit(history, readAudit(history, audit).document)).length > 0;
  return { findings, people: people === undefined };
}

const onlyRelease =
  (onStep: Run["onStep"]) =>
  (report: StepReport): void => {
    if (report.name === releaseStepName) onStep?.(report);
  };

/** Verdict of the held-out rows, once they are measured. */
function heldOutOf(history: History, made: Made): HeldOutFindings | null {
  if (made.calibration === undefined || made.report === undefined) return null;
  const calibration = readCalibration(history, made.calibration);
  const rows = readDataset(history, madeOf(made, "dataset")).document;
  return heldOutVerdict({
    calibration: calibration.document,
    evaluation: readEvaluationOf(history, calibration.sha256).document,
    workflows: new Set(rows.flatMap(({ workflow_id: workflowId }) => workflowId ?? [])).size,
    oddTexts: textWarnings(rows.map(({ id, text }) => ({ at: id, text }))).map((warning) => textOf(warning)),
  });
}

const latestCalibration = (history: History): Sha256 | undefined =>
  listEntries(history, { kind: "calibration" }).at(-1)?.sha256;

function changedSince(history: History, before: Sha256 | undefined, made: Made): ProjectChange | null {
  if (before === undefined || made.calibration === undefined) return null;
  return whatChanged(history, before, made.calibration);
}

/** The claims and their verdict, worded as in the report and on the release page. */
function claimsOf(
  history: History,
  { calibration: id }: Made,
): Pick<RanProject, "verdict" | "claims" | "kinds" | "headline"> {
  if (id === undefined) return { verdict: null, claims: [], kinds: [], headline: null };
  const { document, sha256 } = readCalibration(history, id);
  return {
    verdict: judgeRelease(readEvaluationOf(history, sha256).document, document).sentence,
    claims: document.claims.map(statementOf),
    kinds: describeKinds(document),
    headline: plannedHeadline(document),
  };
}

async function choicesOf(
  { actor }: WorkbenchContext,
  { file, producer, approver: approvers, signer, accept }: Run,
): Promise<ReleaseChoices> {
  if (signer === undefined) {
    throw new SluiceError("ARGUMENT_INVALID", "runProject: found no signer, expected the key of the producer", {
      hint: "Pass `signer` with `release`.",
    });
  }
  const people = await resolvePeople({ file, actor, save: true }, { producer, approvers });
  const source = "of" in signer ? await signer.of(people.producer) : signer;
  return {
    people,
    openSigner: () => openSigner(source),
    accept,
  };
}

interface Once {
  readonly project: ProjectFile;
  readonly choices: ReleaseChoices | undefined;
  readonly force: boolean;
}

async function runOnce(session: Session, { project, choices, force }: Once, options: Run): Promise<RanSteps> {
  const { workspace, clock, progress } = session.context;
  const { accept } = options;
  return runSteps(await projectSteps(session, project, { release: choices, accept }), {
    state: await readStepState(workspace),
    save: (state) => writeStepState(workspace, state),
    until: options.until,
    force,
    dryRun: false,
    clock,
    onStep: (report) => {
      progress.done();
      options.onStep?.(report);
    },
  });
}

/** Checks the gates if there is a calibration; otherwise each is pending. */
function gatesOf(
  history: History,
  { run: runId, calibration: calibrationId }: Made,
  options: Pick<HoldGatesOptions, "gates" | "baseline">,
): readonly GateOutcome[] {
  if (runId === undefined || calibrationId === undefined) {
    const message = "the preceding steps have not run";
    return options.gates.map(({ text }) => ({ name: text, verdict: "not_shown", message }));
  }
  return holdGates(history, { ...options, runId, thresholds: { calibrationId }, fold: "eval" });
}

async function advance(session: Session, { manifest }: Made, { people }: ProjectFile): Promise<ProjectRelease | null> {
  if (people === undefined || manifest === undefined) return null;
  return advanceRelease(session, manifestOf(session.history, manifest), people);
}

/**
 * Lists what a run of a project would do, step by step, without writing anything.
 * @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID; USAGE  a release without people
 */
export async function previewProjectRun(
  workbench: WorkbenchContext,
  { file, until, force, release, producer, approver: approvers }: ValuesOf<typeof runOptions>,
): Promise<RanProject> {
  const project = await readProject(file);
  const { actor } = workbench;
  const people = release ? await resolvePeople({ file, actor, save: false }, { producer, approvers }) : undefined;
  const { reports: steps, ...planned } = await planProject(workbench, project, { until, force, people });
  const { stop, unsettled } = planned;
  return { project: project.name, steps, stop, unsettled, ...unmeasured };
}

const unmeasured = {
  made: {},
  verdict: null,
  headline: null,
  changed: null,
  claims: [],
  kinds: [],
  held_out: null,
  gates: [],
  report: null,
  release: null,
  taken_version: null,
};

interface PlanOptions extends Pick<RunStepsOptions, "until" | "force"> {
  readonly people: ProjectPeople | undefined;
}

async function planProject(
  context: WorkbenchContext,
  project: ProjectFile,
  { people, ...options }: PlanOptions,
): Promise<PlannedProject> {
  if (!existsSync(context.workspace.history))
    return {
      reports: nothingDone(options.until, people !== undefined),
      stop: null,
      unsettled: { findings: false, people: (people ?? project.people) === undefined },
    };
  return withHistory(context, "read", async (session) => {
    const release = people === undefined ? undefined : plannedRelease(people);
    const steps = await projectSteps(session, project, { release });
    const planned = await runSteps(steps, {
      ...options,
      state: await readStepState(context.workspace),
      save: async () => undefined,
      dryRun: true,
      clock: context.clock,
      onStep: () => undefined,
    });
    return {
      ...planned,
      unsettled: unsettledRelease(session.history, planned.made, { people: people ?? project.people }),
    };
  });
}

type PlannedProject = Pick<RanSteps, "reports" | "stop"> & Pick<RanProject, "unsettled">;

function nothingDone(until: string | undefined, release: boolean): readonly StepReport[] {
  const all = [...stepNames, ...(release ? [releaseStepName] : [])];
  const last = all.findIndex((name) => name === until);
  const names = last < 0 ? all : all.slice(0, last + 1);
  return names.map((name) => ({ name, state: "planned", summary: "", milliseconds: 0 }));
}

export interface ProjectStatus {
  readonly project: string;
  /** Whether all steps are up to date; the release does not count as a step. */
  readonly upToDate: boolean;
  /** Why later steps cannot run; null if nothing blocks them. */
  readonly stop: string | null;
  readonly steps: readonly StepReport[];
  /** State of the release; null if the project file has no signers. */
  readonly release: ReleaseStage | null;
  readonly people: ProjectPeople | null;
  /** What a release would still have to be told. */
  readonly unsettled: UnsettledRelease;
}

export type ProjectOptions = OptionsOf<typeof statusOptions>;

/**
 * Status of each step of a project, and of its release. Runs nothing.
 *
 * @example const { upToDate, release } = await projectStatus(workbench, { file: "my-router/sluice.yaml" });
 * @throws {SluiceError} FILE_NOT_FOUND, DOCUMENT_INVALID
 */
export async function projectStatus(workbench: WorkbenchContext, options: ProjectOptions = {}): Promise<ProjectStatus> {
  const { file } = resolveOptions("projectStatus", statusOptions, options);
  const project = await readProject(file);
  const { people } = project;
  const plan = await planProject(workbench, project, { until: undefined, force: false, people });
  const { reports, stop, unsettled } = plan;
  const steps = reports.filter(({ name }) => name !== releaseStepName);
  const signed = reports.some(({ name, state }) => name === releaseStepName && state === "up_to_date");
  return {
    project: project.name,
    upToDate: steps.every(({ state }) => state === "up_to_date"),
    stop,
    steps,
    release: people === undefined ? null : await readReleaseStage(workbench, people, signed),
    people: people ?? null,
    unsettled,
  };
}
