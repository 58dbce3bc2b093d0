import { lineOf } from "../src/base/invocation.js";
import { existsSync } from "node:fs";
import { toSluiceError } from "../src/base/error.js";
import type { ShownProject } from "../stages/overview/workspace-view-of.js";
import { projectStatus } from "../stages/project.js";
import { workspacePages, type WorkspacePagesOptions } from "../stages/overview.js";
import { stageFields, stageProblems, stateWords, statusNext } from "./commands/status.js";
import type { CommandContext } from "./context.js";

/** Source of the workspace pages, with the project status of `sluice status`. */
export function workspaceSource(
  context: CommandContext,
  file: string,
  options: Omit<WorkspacePagesOptions, "project">,
): ReturnType<typeof workspacePages> {
  return workspacePages(context, { project: () => shownProject(context, file), ...options });
}

async function shownProject(context: CommandContext, file: string): Promise<ShownProject> {
  const isNew = !existsSync(context.workspace.history);
  if (!existsSync(file)) return { part: null, next: isNew ? [lineOf(context.next("init", "FILE"))] : [], people: null };
  try {
    return await readShown(context, file);
  } catch (thrown) {
    const { code, message } = toSluiceError(thrown);
    const part = { name: file, upToDate: false, steps: [], facts: [], problems: [`${code}: ${message}`] };
    return { part, next: [], people: null };
  }
}

async function readShown(context: CommandContext, file: string): Promise<ShownProject> {
  const { project, upToDate, stop, steps, release, people, unsettled } = await projectStatus(context, { file });
  const fields = release === null ? [] : stageFields(context, release);
  return {
    part: {
      name: project,
      upToDate,
      steps: steps.map(({ name, state, summary }) => ({ name, state: stateWords[state], summary })),
      facts: fields.map(([label, value]) => ({ label, value })),
      problems: [...(stop === null ? [] : [`${stop}.`]), ...(release === null ? [] : stageProblems(release))],
    },
    next: statusNext(context, { upToDate, stop, release, unsettled }).map(lineOf),
    people,
  };
}
