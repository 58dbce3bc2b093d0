import { existsSync } from "node:fs";
import type { ProjectPart, WorkspaceSection, WorkspaceView } from "../../reports/workspace/workspace-view.js";
import type { ProjectPeople } from "../project/people.js";
import { utcSeconds } from "../records/timestamp.js";
import { withHistory } from "../records/with-history.js";
import { readReleaseState } from "../../src/artifacts/release-state.js";
import { judgeOf } from "../use-cases/read-release.js";
import type { WorkbenchContext } from "../workbench-context.js";
import { exportSection, releaseSection, type ServerSighting, serverSection } from "./release-sections.js";
import { calibrationSection, planSection, runSections } from "./workspace-sections.js";

/** The project of a workspace, with its text for display. */
export interface ShownProject {
  /** null: no project file. */
  readonly part: ProjectPart | null;
  /** Next commands. */
  readonly next: readonly string[];
  /** Who signs; null while the project names nobody. */
  readonly people: ProjectPeople | null;
}

/** What the page shows from outside of the workspace. */
export interface WorkspaceLinks {
  /** The page with the box to try a request; null where there is none. */
  readonly tryPath: string | null;
  /** State files of servers, which record what they served. */
  readonly stateFiles: readonly string[];
}

/** State files that no server has written yet are left out. */
async function sightings(files: readonly string[]): Promise<readonly ServerSighting[]> {
  const states = await Promise.all(files.map(async (file) => ({ file, state: await readReleaseState(file) })));
  return states.flatMap(({ file, state }) => (state === null ? [] : [{ file, ...state }]));
}

/** Reads what the page of a workspace shows. Saves nothing. @throws {SluiceError} those of the records */
export async function workspaceViewOf(
  workbench: WorkbenchContext,
  { part, next, people }: ShownProject,
  { tryPath, stateFiles }: WorkspaceLinks,
): Promise<WorkspaceView> {
  return {
    asOf: utcSeconds(workbench.clock()),
    workspace: workbench.workspace.directory,
    project: part,
    next,
    sections: await sectionsOf(workbench, people, stateFiles),
    tryPath,
  };
}

async function sectionsOf(
  workbench: WorkbenchContext,
  people: ProjectPeople | null,
  stateFiles: readonly string[],
): Promise<readonly WorkspaceSection[]> {
  if (!existsSync(workbench.workspace.history)) return [];
  const files = await judgeOf(workbench, { people });
  const now = new Date(workbench.clock());
  const judge = files === null ? null : { ...files, now };
  const servers = await sightings(stateFiles);
  return withHistory(workbench, "read", async ({ history }) => [
    ...runSections(history),
    planSection(history),
    calibrationSection(history),
    releaseSection(history, judge),
    exportSection(history),
    serverSection(history, servers),
  ]);
}
