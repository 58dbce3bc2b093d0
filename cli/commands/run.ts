import { formatSeconds } from "../../src/domain/number-text.js";
import { projectFileName } from "../../workbench/project/project-file.js";
import type { History } from "../../workbench/history/open.js";
import type { StepReport } from "../../workbench/project/run-steps.js";
import { stepNames } from "../../workbench/project/step-names.js";
import { withHistory } from "../../workbench/records/with-history.js";
import { defineCommand } from "../command.js";
import type { CommandContext } from "../context.js";
import { flag, optional, preset } from "../options.js";
import { choice, path } from "../parsers.js";
import { type CommandResult, commandResult } from "../result.js";
import { table } from "../table.js";

/** Result of `run`. */
export interface ProjectRun {
  readonly project: string;
  readonly steps: readonly StepReport[];
  /** The claims of the calibration, in words; empty before it is made. */
  readonly claims: readonly string[];
}

export const run = defineCommand({
  name: ["run"],
  describe: "Do what a project is missing: import, audit, split, score, calibrate, report",
  positionals: {},
  options: {
    file: preset(path, projectFileName, "project file"),
    until: optional(choice(...stepNames), "last step to run"),
    force: flag("run every step, also those that are up to date"),
    "dry-run": flag("show what would run, and run nothing"),
  },
  examples: [
    ["sluice run", "the project of this folder; a second run does nothing"],
    ["sluice run --project my-router --dry-run", "what would run in another folder"],
  ],
  run: async (context, args) => {
    const { readProject } = await import("../../workbench/project/project-file.js");
    const { projectSteps } = await import("../../workbench/project/project-steps.js");
    const { runSteps } = await import("../../workbench/project/run-steps.js");
    const { readStepState, writeStepState } = await import("../../workbench/project/step-state.js");
    const project = await readProject(args.file);
    const until = args.until === undefined ? {} : { until: args.until };
    if (args.dryRun) {
      const { planProject } = await import("../../workbench/project/plan-project.js");
      const steps = await planProject(context, project, { ...until, force: args.force });
      return resultOf(context, { project: project.name, steps, claims: [] });
    }
    return withHistory(context, "write", async (stage) => {
      const { reports, outputs } = await runSteps(await projectSteps(stage, project), {
        state: await readStepState(context.workspace),
        save: (state) => writeStepState(context.workspace, state),
        ...until,
        force: args.force,
        dryRun: false,
        clock: context.clock,
        onStep: (report) => {
          context.progress.done();
          context.note(stepLine(report));
        },
      });
      const calibrationId = outputs["calibrate"]?.["calibration"];
      const described = calibrationId === undefined ? null : await claimsOf(stage.history, calibrationId);
      return resultOf(context, { project: project.name, steps: reports, claims: described ?? [] });
    });
  },
});

const resultOf = (context: CommandContext, result: ProjectRun): CommandResult =>
  commandResult({ schema: "run@1", result, lines: runLines(result), next: nextOf(context, result) });

async function claimsOf(history: History, id: string): Promise<readonly string[]> {
  const { readCalibration } = await import("../../workbench/records/read-records.js");
  return readCalibration(history, id).document.claims.map(({ sentence }) => sentence);
}

const stateWords: Readonly<Record<StepReport["state"], string>> = {
  done: "done",
  up_to_date: "up to date",
  planned: "would run",
};

const stepLine = ({ name, state, summary, milliseconds }: StepReport): string => {
  const time = state === "done" ? `  ${formatSeconds(milliseconds)}` : "";
  return `${name.padEnd(10)} ${stateWords[state]}${time}  ${summary}`.trimEnd();
};

/** The result in words. */
export function runLines({ steps, claims }: ProjectRun): readonly string[] {
  const rows = steps.map(({ name, state, summary }) => [name, stateWords[state], summary]);
  return [...table(rows), ...(claims.length === 0 ? [] : ["", ...claims])];
}

function nextOf(context: CommandContext, { claims, steps }: ProjectRun): readonly string[] {
  if (steps.some(({ state }) => state === "planned")) return [context.nextLine("run")];
  if (claims.length === 0) return [context.nextLine("run")];
  return [
    context.nextLine("route", "--text", "TEXT", "--explain"),
    context.nextLine("serve"),
    context.nextLine("calibrate", "show"),
  ];
}
