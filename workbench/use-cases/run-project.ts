import { planProject } from "../project/plan-project.js";
import { readProject } from "../project/project-file.js";
import { projectSteps } from "../project/project-steps.js";
import { runSteps, type StepReport } from "../project/run-steps.js";
import type { StepName } from "../project/step-names.js";
import { readStepState, type StepOutputs, writeStepState } from "../project/step-state.js";
import { readCalibration } from "../records/read-records.js";
import { withHistory } from "../records/with-history.js";
import type { WorkbenchContext } from "../workbench-context.js";

/** A project on disk. */
export interface ProjectOptions {
  /** `sluice.yaml` of the project; the paths in it are relative to its folder. */
  readonly file: string;
}

/** How far a project runs. */
export interface RunProjectOptions extends ProjectOptions {
  /** Last step to run. Default: all. */
  readonly until?: StepName | undefined;
  /** Runs every step, also those that are up to date. Default false. */
  readonly force?: boolean;
  /** Called after each step. */
  readonly onStep?: (report: StepReport) => void;
}

/** What became of the steps of a project. */
export interface RanProject {
  readonly project: string;
  readonly steps: readonly StepReport[];
  /** Ids of the records that the steps made, by step and name, e.g. `outputs.calibrate.calibration`. */
  readonly outputs: StepOutputs;
  /** What keeps the later steps waiting; null when nothing does. */
  readonly stop: string | null;
  /** Claims of the calibration in words; empty before it is made. */
  readonly claims: readonly string[];
}

/**
 * Does what a project is missing: import, split, audit, score, plan, calibrate, report. A second call does nothing.
 *
 * @example const { claims } = await runProject(workbench, { file: "my-router/sluice.yaml" });
 * @throws {SluiceError} FILE_NOT_FOUND, SYNTAX_INVALID, SCHEMA_INVALID, and those of the steps
 */
export async function runProject(workbench: WorkbenchContext, options: RunProjectOptions): Promise<RanProject> {
  const project = await readProject(options.file);
  return withHistory(workbench, "write", async (stage) => {
    const { reports, outputs, stop } = await runSteps(await projectSteps(stage, project), {
      state: await readStepState(workbench.workspace),
      save: (state) => writeStepState(workbench.workspace, state),
      ...(options.until === undefined ? {} : { until: options.until }),
      force: options.force ?? false,
      dryRun: false,
      clock: workbench.clock,
      onStep: (report) => {
        workbench.progress.done();
        options.onStep?.(report);
      },
    });
    const calibrationId = outputs["calibrate"]?.["calibration"];
    const calibration = calibrationId === undefined ? null : readCalibration(stage.history, calibrationId).document;
    const claims = calibration?.claims.map(({ sentence }) => sentence) ?? [];
    return { project: project.name, steps: reports, outputs, stop, claims };
  });
}

/** Where a project stands. */
export interface ProjectStanding {
  readonly project: string;
  /** Nothing is missing. */
  readonly upToDate: boolean;
  /** What keeps the later steps waiting; null when nothing does. */
  readonly stop: string | null;
  readonly steps: readonly StepReport[];
}

/**
 * Says where a project stands, step by step. Nothing runs.
 *
 * @example const { upToDate } = await projectStatus(workbench, { file: "my-router/sluice.yaml" });
 * @throws {SluiceError} FILE_NOT_FOUND, SYNTAX_INVALID, SCHEMA_INVALID
 */
export async function projectStatus(workbench: WorkbenchContext, options: ProjectOptions): Promise<ProjectStanding> {
  const project = await readProject(options.file);
  const { reports: steps, stop } = await planProject(workbench, project);
  return { project: project.name, upToDate: steps.every(({ state }) => state === "up_to_date"), stop, steps };
}
