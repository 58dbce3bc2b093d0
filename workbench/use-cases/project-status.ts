import { planProject } from "../project/plan-project.js";
import { readProject } from "../project/project-file.js";
import { type ReleaseStage, readReleaseStage } from "../project/release-stage.js";
import type { StepReport } from "../project/run-steps.js";
import { releaseStepName } from "../project/step-names.js";
import type { WorkbenchContext } from "../workbench-context.js";

/** A project on disk. */
export interface ProjectOptions {
  /** `sluice.yaml` of the project; the paths in it are relative to its folder. */
  readonly file: string;
}

/** Where a project stands. */
export interface ProjectStanding {
  readonly project: string;
  /** No step is missing; the release is not a step of these. */
  readonly upToDate: boolean;
  /** What keeps the later steps waiting; null when nothing does. */
  readonly stop: string | null;
  readonly steps: readonly StepReport[];
  /** How far it is on its way to production; null while the project file names nobody who signs. */
  readonly release: ReleaseStage | null;
}

/**
 * Says where a project stands, step by step, and how far its release is. Nothing runs.
 *
 * @example const { upToDate, release } = await projectStatus(workbench, { file: "my-router/sluice.yaml" });
 * @throws {SluiceError} FILE_NOT_FOUND, SYNTAX_INVALID, SCHEMA_INVALID
 */
export async function projectStatus(workbench: WorkbenchContext, options: ProjectOptions): Promise<ProjectStanding> {
  const project = await readProject(options.file);
  const { people } = project;
  const { reports, stop } = await planProject(workbench, project, { force: false, people });
  const steps = reports.filter(({ name }) => name !== releaseStepName);
  const signed = reports.some(({ name, state }) => name === releaseStepName && state === "up_to_date");
  return {
    project: project.name,
    upToDate: steps.every(({ state }) => state === "up_to_date"),
    stop,
    steps,
    release: people === undefined ? null : await readReleaseStage(workbench, people, signed),
  };
}
