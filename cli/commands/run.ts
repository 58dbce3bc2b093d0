import type { ProjectPeople } from "../../workbench/project/people.js";
import { projectFileName } from "../../workbench/project/project-file.js";
import { type StepName, stepNames } from "../../workbench/project/step-names.js";
import type { ReleaseProjectOptions } from "../../workbench/use-cases/run-project.js";
import { defineCommand } from "../command.js";
import type { CommandContext } from "../context.js";
import { gatedResult, gateOptions } from "../gate-options.js";
import { flag, optional, preset, repeated } from "../options.js";
import { choice, name, path, text } from "../parsers.js";
import { type PassphraseSources, passphraseOptions } from "../passphrase.js";
import { releaseLines, releaseNext } from "../release-lines.js";
import { commandResult, type ResultParts } from "../result.js";
import { type ProjectRun, projectNext, runLines, stepLine } from "./run/run-lines.js";

interface RunArguments extends PassphraseSources {
  readonly file: string;
  readonly until: StepName | undefined;
  readonly force: boolean;
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
    if (args.dryRun) return commandResult(partsOf(context, await planned(context, args)));
    const { runProject } = await import("../../workbench/use-cases/run-project.js");
    const ran = await runProject(context, {
      file: args.file,
      until: args.until,
      force: args.force,
      release: args.release ? await releaseOptions(context, args) : undefined,
      gates: args.gate,
      baseline: args.baseline,
      onStep: (report) => context.note(stepLine(report)),
    });
    const { project, steps, claims, stop, release, gates, outputs } = ran;
    const report = outputs["report"] === undefined ? null : context.workspace.report;
    const parts = partsOf(context, { project, steps, claims, stop, report, release });
    return gatedResult({ ...parts, gates }, { suite: "sluice run", junit: args.junit });
  },
});

/** What would run; nothing does. */
async function planned(context: CommandContext, args: RunArguments): Promise<ProjectRun> {
  const { readProject } = await import("../../workbench/project/project-file.js");
  const { planProject } = await import("../../workbench/project/plan-project.js");
  const project = await readProject(args.file);
  const people = args.release ? await peopleOf(context, args, false) : undefined;
  const { reports: steps, stop } = await planProject(context, project, {
    until: args.until,
    force: args.force,
    people,
  });
  return { project: project.name, steps, claims: [], stop, report: null, release: null };
}

/** Who signs the release; their key file is looked for before the work begins. */
async function releaseOptions(context: CommandContext, args: RunArguments): Promise<ReleaseProjectOptions> {
  const { personSigner } = await import("./key/key-file-signer.js");
  const { producer, approvers } = await peopleOf(context, args, true);
  return { producer, approvers, signer: await personSigner(context, producer, args), accept: args.accept };
}

async function peopleOf({ actor }: CommandContext, args: RunArguments, save: boolean): Promise<ProjectPeople> {
  const { settlePeople } = await import("../../workbench/project/release-people.js");
  return settlePeople({ file: args.file, actor, save }, { producer: args.producer, approvers: args.approver });
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
