import { holdGates, type HoldGatesOptions, readGates } from "../../workbench/evaluation/hold-gates.js";
import type { History } from "../../workbench/history/open.js";
import { namePeople, type ProjectFile, readProject } from "../../workbench/project/project-file.js";
import type { ReleaseChoices } from "../../workbench/project/release-step.js";
import { type RanSteps, runSteps } from "../../workbench/project/run-steps.js";
import { releaseStepName } from "../../workbench/project/step-names.js";
import { idOf, readStepState, type StepOutputs, writeStepState } from "../../workbench/project/step-state.js";
import { advanceRelease, type ProjectRelease } from "../../workbench/release/project-release.js";
import { withHistory } from "../../workbench/records/with-history.js";
import type { Stage } from "../../workbench/records/stage.js";
import { SluiceError } from "../../src/errors/error.js";
import type { CommandContext } from "../context.js";
import { gatedResult } from "../gate-options.js";
import { name, text } from "../parsers.js";
import type { PassphraseSources } from "../passphrase.js";
import { commandResult, type Gate, type ResultParts } from "../result.js";
import { releaseLines, releaseNext } from "../release-lines.js";
import { projectNext, type ProjectRun, runLines, stepLine } from "./run/run-lines.js";
import type { WorkOf } from "../command.js";
import type { runShape } from "../shapes/project.js";
import { planProject } from "../../workbench/project/plan-project.js";
import { projectSteps } from "../../workbench/project/project-steps.js";
import { personSigner } from "./key/key-file-signer.js";
import { manifestOf } from "../../workbench/release/read-manifest.js";
import { readCalibration } from "../../workbench/records/read-records.js";

interface RunArguments extends PassphraseSources {
  readonly file: string;
  readonly release: boolean;
  readonly producer: string | undefined;
  readonly approver: readonly string[];
  readonly accept: string | undefined;
}

export const run: WorkOf<typeof runShape> = async (context, args) => {
  const until = args.until === undefined ? {} : { until: args.until };
  if (args.dryRun) {
    const project = await readProject(args.file);
    const { reports, stop } = await planProject(context, project, { ...until, force: args.force });
    const planned = { project: project.name, steps: reports, claims: [], stop, report: null, release: null };
    return commandResult(partsOf(context, planned));
  }
  const choices = args.release ? await releaseChoices(context, args) : undefined;
  const project = await readProject(args.file);
  const gates = readGates([...(project.gates ?? []), ...args.gate], args.baseline);
  return withHistory(context, "write", async (stage) => {
    const first = gates.length === 0 ? choices : undefined;
    const measured = await runProject(stage, context, { project, choices: first, ...until, force: args.force });
    const held = await gatesOf(stage.history, measured.outputs, { gates, baseline: args.baseline });
    // Nothing is signed whose gates were missed.
    const mayRelease = choices !== first && held.every(({ verdict }) => verdict === "pass");
    const ran = mayRelease ? await runProject(stage, context, { project, choices, ...until, force: false }) : measured;
    const calibrationId = ran.outputs["calibrate"]?.["calibration"];
    const result = {
      project: project.name,
      steps: ran.reports,
      claims: calibrationId === undefined ? [] : await claimsOf(stage, calibrationId),
      stop: ran.stop,
      report: ran.outputs["report"] === undefined ? null : context.workspace.report,
      release: await advance(stage, ran.outputs, project),
    };
    return gatedResult({ ...partsOf(context, result), gates: held }, { suite: "sluice run", junit: args.junit });
  });
};

interface Choices {
  readonly project: ProjectFile;
  readonly choices: ReleaseChoices | undefined;
  readonly until?: string;
  readonly force: boolean;
}

async function runProject(
  stage: Stage,
  context: CommandContext,
  { project, choices, ...options }: Choices,
): Promise<RanSteps> {
  const { clock, workspace } = context;
  return runSteps(await projectSteps(stage, project, choices), {
    ...options,
    state: await readStepState(workspace),
    save: (state) => writeStepState(workspace, state),
    dryRun: false,
    clock,
    onStep: (report) => {
      context.progress.done();
      context.note(stepLine(report));
    },
  });
}

/**
 * The people of the release: those that the project file names, else the named ones, which are then saved there.
 * @throws {SluiceError} USAGE  nobody is named
 */
async function releaseChoices(context: CommandContext, args: RunArguments): Promise<ReleaseChoices> {
  const { approver: approvers, accept } = args;
  const named = approvers.length === 0 && args.producer === undefined;
  const { people: known } = await readProject(args.file);
  const producer = args.producer ?? known?.producer ?? context.actor;
  const wanted = { producer, approvers: approvers.length === 0 ? (known?.approvers ?? []) : [...approvers] };
  if (wanted.approvers.length < 2) {
    throw new SluiceError("USAGE", "a release needs two approvers, and the project names none", {
      hint: "Name them once: sluice run --release --producer NAME --approver NAME --approver NAME",
    });
  }
  const people = named && known !== undefined ? known : ((await namePeople(args.file, wanted)).people ?? wanted);
  const signer = await personSigner(context, people.producer, args);
  return { people, openSigner: signer, accept };
}

async function advance(stage: Stage, made: StepOutputs, { people }: ProjectFile): Promise<ProjectRelease | null> {
  if (people === undefined || made[releaseStepName] === undefined) return null;
  return advanceRelease(stage, manifestOf(stage.history, idOf(made, releaseStepName, "manifest")), people);
}

const partsOf = (context: CommandContext, result: ProjectRun): ResultParts => ({
  schema: "run@1",
  result,
  lines: [
    ...runLines(context, result),
    ...(result.release === null ? [] : ["", ...releaseLines(context, result.release)]),
  ],
  next: result.release === null ? projectNext(context, result) : releaseNext(context, result.release),
});

/** Gates are held once there is a calibration; before that each of them is open. */
async function gatesOf(
  history: History,
  outputs: StepOutputs,
  options: Pick<HoldGatesOptions, "gates" | "baseline">,
): Promise<readonly Gate[]> {
  const [runId, calibrationId] = [outputs["score"]?.["run"], outputs["calibrate"]?.["calibration"]];
  if (runId === undefined || calibrationId === undefined) {
    const message = "the steps before it have not run";
    return options.gates.map(({ text }) => ({ name: text, verdict: "not_shown", message }));
  }
  return holdGates(history, { ...options, runId, thresholds: { calibrationId }, fold: "eval" });
}

async function claimsOf({ history }: Stage, id: string): Promise<readonly string[]> {
  return readCalibration(history, id).document.claims.map(({ sentence }) => sentence);
}
