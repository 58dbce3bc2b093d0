import type { HoldGatesOptions } from "../../workbench/evaluation/hold-gates.js";
import type { History } from "../../workbench/history/open.js";
import { projectFileName } from "../../workbench/project/project-file.js";
import type { ProjectFile } from "../../workbench/project/project-file.js";
import type { ReleaseChoices } from "../../workbench/project/release-step.js";
import type { RanSteps } from "../../workbench/project/run-steps.js";
import { releaseStepName, stepNames } from "../../workbench/project/step-names.js";
import type { StepOutputs } from "../../workbench/project/step-state.js";
import type { ProjectRelease } from "../../workbench/release/project-release.js";
import { withHistory } from "../../workbench/records/with-history.js";
import type { Stage } from "../../workbench/records/stage.js";
import { SluiceError } from "../../src/errors/error.js";
import { defineCommand } from "../command.js";
import type { CommandContext } from "../context.js";
import { gatedResult, gateOptions } from "../gate-options.js";
import { flag, optional, preset, repeated } from "../options.js";
import { choice, name, path, text } from "../parsers.js";
import { type PassphraseSources, passphraseOptions } from "../passphrase.js";
import { commandResult, type Gate, type ResultParts } from "../result.js";
import { releaseLines, releaseNext } from "../release-lines.js";
import { type ProjectRun, projectNext, runLines, stepLine } from "./run/run-lines.js";

interface RunArguments extends PassphraseSources {
  readonly file: string;
  readonly release: boolean;
  readonly producer: string | undefined;
  readonly approver: readonly string[];
  readonly accept: string | undefined;
}

export const run = defineCommand({
  name: ["run"],
  describe:
    "Do what a project is missing: import, split, audit, score, plan, calibrate, report; with --release, sign it",
  positionals: {},
  options: {
    file: preset(path, projectFileName, "project file"),
    until: optional(choice(...stepNames), "last step to run"),
    force: flag("run every step, also those that are up to date"),
    "dry-run": flag("show what would run, and run nothing"),
    release: flag("sign the bundle as its producer; once it is approved, export it"),
    producer: optional(name, "with --release: who signs as producer; by default you. Saved in the project file"),
    approver: repeated(name, "with --release: a person who may approve; two or more. Saved in the project file"),
    accept: optional(text, "with --release: why findings of the audit may stay; you answer for it"),
    ...gateOptions,
    ...passphraseOptions,
  },
  examples: [
    ["sluice run", "the project of this folder; a second run does nothing"],
    ["sluice run --release --producer ann --approver bo --approver cy", "and the bundle, signed by ann"],
  ],
  run: async (context, args) => {
    const { readProject } = await import("../../workbench/project/project-file.js");
    const until = args.until === undefined ? {} : { until: args.until };
    if (args.dryRun) {
      const { planProject } = await import("../../workbench/project/plan-project.js");
      const project = await readProject(args.file);
      const { reports, stop } = await planProject(context, project, { ...until, force: args.force });
      const planned = { project: project.name, steps: reports, claims: [], stop, report: null, release: null };
      return commandResult(partsOf(context, planned));
    }
    const choices = args.release ? await releaseChoices(context, args) : undefined;
    const project = await readProject(args.file);
    const { readGates } = await import("../../workbench/evaluation/hold-gates.js");
    const gates = readGates([...(project.gates ?? []), ...args.gate], args.baseline);
    return withHistory(context, "write", async (stage) => {
      const first = gates.length === 0 ? choices : undefined;
      const measured = await runProject(stage, context, { project, choices: first, ...until, force: args.force });
      const held = await gatesOf(stage.history, measured.outputs, { gates, baseline: args.baseline });
      // Nothing is signed whose gates were missed.
      const mayRelease = choices !== first && held.every(({ verdict }) => verdict === "pass");
      const ran = mayRelease
        ? await runProject(stage, context, { project, choices, ...until, force: false })
        : measured;
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
  },
});

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
  const { projectSteps } = await import("../../workbench/project/project-steps.js");
  const { runSteps } = await import("../../workbench/project/run-steps.js");
  const { readStepState, writeStepState } = await import("../../workbench/project/step-state.js");
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
  const { namePeople, readProject } = await import("../../workbench/project/project-file.js");
  const { personSigner } = await import("./key/key-file-signer.js");
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
  const { idOf } = await import("../../workbench/project/step-state.js");
  const { advanceRelease } = await import("../../workbench/release/project-release.js");
  const { manifestOf } = await import("../../workbench/release/read-manifest.js");
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
  const { holdGates } = await import("../../workbench/evaluation/hold-gates.js");
  const [runId, calibrationId] = [outputs["score"]?.["run"], outputs["calibrate"]?.["calibration"]];
  if (runId === undefined || calibrationId === undefined) {
    const message = "the steps before it have not run";
    return options.gates.map(({ text }) => ({ name: text, verdict: "not_shown", message }));
  }
  return holdGates(history, { ...options, runId, thresholds: { calibrationId }, fold: "eval" });
}

async function claimsOf({ history }: Stage, id: string): Promise<readonly string[]> {
  const { readCalibration } = await import("../../workbench/records/read-records.js");
  return readCalibration(history, id).document.claims.map(({ sentence }) => sentence);
}
