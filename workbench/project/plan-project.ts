import type { Stage } from "../records/stage.js";
import type { ProjectFile } from "./project-file.js";
import { projectSteps } from "./project-steps.js";
import { runSteps, type StepReport } from "./run-steps.js";
import { readStepState } from "./step-state.js";

/** What a run of the project would do, step by step; nothing is done. */
export async function planProject(stage: Stage, project: ProjectFile): Promise<readonly StepReport[]> {
  const { reports } = await runSteps(await projectSteps(stage, project), {
    state: await readStepState(stage.context.workspace),
    save: async () => undefined,
    force: false,
    dryRun: true,
    clock: stage.context.clock,
    onStep: () => undefined,
  });
  return reports;
}
