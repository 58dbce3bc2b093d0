import { planProject } from "./plan-project.js";
import { readProject } from "../../store/project/project-file.js";
import { type ReleaseStage, readReleaseStage } from "./release-stage.js";
import type { StepReport } from "./run-steps.js";
import { releaseStepName } from "../../src/documents/choices.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

/** A project on disk. */
export interface ProjectOptions {
  /** `sluice.yaml` of the project; the paths in it are relative to its folder. */
  readonly file: string;
}

/** Status of a project. */
export interface ProjectStatus {
  readonly project: string;
  /** No step is missing; the release does not count as a step. */
  readonly upToDate: boolean;
  /** What blocks the later steps; null when nothing does. */
  readonly stop: string | null;
  readonly steps: readonly StepReport[];
  /** State of its release; null while the project file names no signers. */
  readonly release: ReleaseStage | null;
}

/**
 * Status of a project by step, and of its release. Nothing runs.
 *
 * @example const { upToDate, release } = await projectStatus(workbench, { file: "my-router/sluice.yaml" });
 * @throws {SluiceError} FILE_NOT_FOUND, SYNTAX_INVALID, SCHEMA_INVALID
 */
export async function projectStatus(workbench: WorkbenchContext, options: ProjectOptions): Promise<ProjectStatus> {
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
