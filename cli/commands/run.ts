import type { ProjectPeople } from "../../workbench/project/people.js";
import type { StepName } from "../../workbench/project/step-names.js";
import { type ReleaseProjectOptions, runProject } from "../../workbench/use-cases/run-project.js";
import type { CommandContext } from "../context.js";
import type { PassphraseSources } from "../passphrase.js";
import { releaseLines, releaseNext } from "../release-lines.js";
import type { Gate, ResultParts } from "../result.js";
import { projectNext, type ProjectRun, runLines, stepLine } from "./run/run-lines.js";
import type { WorkOf } from "../command.js";
import type { runShape } from "../shapes/project.js";
import { readProject } from "../../workbench/project/project-file.js";
import { planProject } from "../../workbench/project/plan-project.js";
import { personSigner } from "./key/key-file-signer.js";
import { settlePeople } from "../../workbench/project/release-people.js";

interface RunArguments extends PassphraseSources {
  readonly file: string;
  readonly until: StepName | undefined;
  readonly force: boolean;
  readonly release: boolean;
  readonly producer: string | undefined;
  readonly approver: readonly string[];
  readonly accept: string | undefined;
  readonly despiteGates: boolean;
}

export const run: WorkOf<typeof runShape> = async (context, args) => {
  if (args.dryRun) return partsOf(context, await planned(context, args));
  const ran = await runProject(context, {
    file: args.file,
    until: args.until,
    force: args.force,
    release: args.release ? await releaseOptions(context, args) : undefined,
    gates: args.gate,
    baseline: args.baseline,
    onStep: (report) => context.note(stepLine(report)),
  });
  const { project, steps, verdict, claims, stop, release, gates, heldOut, outputs } = ran;
  const report = outputs["report"] === undefined ? null : context.workspace.report;
  const result = { project, steps, verdict, claims, held_out: heldOut, stop, report, release };
  const told = args.despiteGates && release !== null;
  return { ...partsOf(context, result, gates), gates, gateReport: args, ...(told ? { exitCode: 0 as const } : {}) };
};

/** What would run; nothing does. */
async function planned(context: CommandContext, args: RunArguments): Promise<ProjectRun> {
  const project = await readProject(args.file);
  const people = args.release ? await peopleOf(context, args, false) : undefined;
  const { reports: steps, stop } = await planProject(context, project, {
    until: args.until,
    force: args.force,
    people,
  });
  return { project: project.name, steps, verdict: null, claims: [], held_out: null, stop, report: null, release: null };
}

/** Who signs the release; their key file is looked for before the work begins. */
async function releaseOptions(context: CommandContext, args: RunArguments): Promise<ReleaseProjectOptions> {
  const { producer, approvers } = await peopleOf(context, args, true);
  return {
    producer,
    approvers,
    signer: await personSigner(context, producer, args),
    accept: args.accept,
    despiteGates: args.despiteGates,
  };
}

async function peopleOf({ actor }: CommandContext, args: RunArguments, save: boolean): Promise<ProjectPeople> {
  return settlePeople({ file: args.file, actor, save }, { producer: args.producer, approvers: args.approver });
}

const partsOf = (context: CommandContext, result: ProjectRun, gates: readonly Gate[] = []): ResultParts => ({
  result,
  lines: [
    ...runLines(context, result),
    ...(result.release === null ? [] : ["", ...releaseLines(context, result.release)]),
  ],
  next: result.release === null ? projectNext(context, result, gates) : releaseNext(context, result.release),
});
