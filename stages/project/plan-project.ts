import { existsSync } from "node:fs";
import { withHistory } from "../../store/records/with-history.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import type { ProjectPeople } from "../../store/project/people.js";
import type { ProjectFile } from "../../store/project/project-file.js";
import { projectSteps } from "./project-steps.js";
import { plannedRelease } from "./release-step.js";
import { type RanSteps, runSteps, type RunStepsOptions, type StepReport } from "./run-steps.js";
import { releaseStepName, stepNames } from "../../src/documents/choices.js";
import { readStepState } from "./step-state.js";

export interface PlanOptions extends Pick<RunStepsOptions, "until" | "force"> {
  /** Who would sign a release; undefined: no release is planned. */
  readonly people?: ProjectPeople | undefined;
}

/** What a run of the project would do, step by step. Nothing is written. */
export async function planProject(
  context: WorkbenchContext,
  project: ProjectFile,
  { people, ...options }: PlanOptions = { force: false },
): Promise<Pick<RanSteps, "reports" | "stop">> {
  if (!existsSync(context.workspace.history))
    return { reports: nothingDone(options.until, people !== undefined), stop: null };
  return withHistory(context, "read", async (session) =>
    runSteps(await projectSteps(session, project, people === undefined ? undefined : plannedRelease(people)), {
      ...options,
      state: await readStepState(context.workspace),
      save: async () => undefined,
      dryRun: true,
      clock: context.clock,
      onStep: () => undefined,
    }),
  );
}

function nothingDone(until: string | undefined, release: boolean): readonly StepReport[] {
  const all = [...stepNames, ...(release ? [releaseStepName] : [])];
  const last = all.findIndex((name) => name === until);
  const names = last < 0 ? all : all.slice(0, last + 1);
  return names.map((name) => ({ name, state: "planned", summary: "", milliseconds: 0 }));
}
