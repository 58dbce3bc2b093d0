import { existsSync } from "node:fs";
import { withHistory } from "../records/with-history.js";
import type { WorkbenchContext } from "../workbench-context.js";
import type { ProjectFile } from "./project-file.js";
import { projectSteps } from "./project-steps.js";
import { type RanSteps, runSteps, type RunStepsOptions, type StepReport } from "./run-steps.js";
import { stepNames } from "./step-names.js";
import { readStepState } from "./step-state.js";

export type PlanOptions = Pick<RunStepsOptions, "until" | "force">;

/** What a run of the project would do, step by step. Nothing is done, and no workspace is created. */
export async function planProject(
  context: WorkbenchContext,
  project: ProjectFile,
  options: PlanOptions = { force: false },
): Promise<Pick<RanSteps, "reports" | "stop">> {
  if (!existsSync(context.workspace.history)) return { reports: nothingDone(options.until), stop: null };
  return withHistory(context, "read", async (stage) =>
    runSteps(await projectSteps(stage, project), {
      ...options,
      state: await readStepState(context.workspace),
      save: async () => undefined,
      dryRun: true,
      clock: context.clock,
      onStep: () => undefined,
    }),
  );
}

function nothingDone(until: string | undefined): readonly StepReport[] {
  const last = stepNames.findIndex((name) => name === until);
  const names = last < 0 ? stepNames : stepNames.slice(0, last + 1);
  return names.map((name) => ({ name, state: "planned", summary: "", milliseconds: 0 }));
}
