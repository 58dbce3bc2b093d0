import type { StepReport } from "../../workbench/project/run-steps.js";
import { commandResult } from "../result.js";
import { table } from "../table.js";
import type { WorkOf } from "../command.js";
import type { statusShape } from "../shapes/project.js";
import { readProject } from "../../workbench/project/project-file.js";
import { planProject } from "../../workbench/project/plan-project.js";

/** Result of `status`. */
export interface ProjectStatus {
  readonly project: string;
  readonly up_to_date: boolean;
  /** What keeps the later steps waiting; null when nothing does. */
  readonly stop: string | null;
  readonly steps: readonly Pick<StepReport, "name" | "state" | "summary">[];
}

export const status: WorkOf<typeof statusShape> = async (context, args) => {
  const project = await readProject(args.file);
  const { reports, stop } = await planProject(context, project);
  const result: ProjectStatus = {
    project: project.name,
    up_to_date: reports.every(({ state }) => state === "up_to_date"),
    stop,
    steps: reports.map(({ name, state, summary }) => ({ name, state, summary })),
  };
  return commandResult({
    schema: "status@1",
    result,
    lines: statusLines(result),
    next: result.up_to_date
      ? [context.nextLine("serve"), context.nextLine("calibrate", "show")]
      : [context.nextLine("run")],
  });
};

/** The result in words. */
export function statusLines({ steps }: ProjectStatus): readonly string[] {
  return table(
    steps.map(({ name, state, summary }) => [name, state === "up_to_date" ? "up to date" : "missing", summary]),
  );
}
