import { existsSync } from "node:fs";
import type { ProjectPart, WorkspaceSection, WorkspaceView } from "../../reports/workspace/workspace-view.js";
import type { ProjectPeople } from "../project/people.js";
import { utcSeconds } from "../records/timestamp.js";
import { withHistory } from "../records/with-history.js";
import { projectEnvironment } from "../release/draft-trust.js";
import { judgeOf } from "../use-cases/read-release.js";
import type { WorkbenchContext } from "../workbench-context.js";
import { exportSection, releaseSection } from "./release-sections.js";
import { calibrationSection, runSections } from "./workspace-sections.js";

/** The project of a workspace, with its text for display. */
export interface ShownProject {
  /** null: no project file. */
  readonly part: ProjectPart | null;
  /** Next commands. */
  readonly next: readonly string[];
  /** Who signs; null while the project names nobody. */
  readonly people: ProjectPeople | null;
}

/** Reads what the page of a workspace shows. Saves nothing. @throws {SluiceError} those of the records */
export async function workspaceViewOf(
  workbench: WorkbenchContext,
  { part, next, people }: ShownProject,
  tryPath: string | null,
): Promise<WorkspaceView> {
  return {
    asOf: utcSeconds(workbench.clock()),
    workspace: workbench.workspace.directory,
    project: part,
    next,
    sections: await sectionsOf(workbench, people),
    tryPath,
  };
}

async function sectionsOf(
  workbench: WorkbenchContext,
  people: ProjectPeople | null,
): Promise<readonly WorkspaceSection[]> {
  if (!existsSync(workbench.workspace.history)) return [];
  const files = await judgeOf(workbench, { people });
  const now = new Date(workbench.clock());
  const judge = files === null ? null : { ...files, environment: projectEnvironment, now };
  return withHistory(workbench, "read", async ({ history }) => [
    ...runSections(history),
    calibrationSection(history),
    releaseSection(history, judge),
    exportSection(history),
  ]);
}
