import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { Made, StepState } from "./step-state.js";

export interface ProjectStep {
  readonly name: string;
  /** Everything that determines the result, JSON-safe: digests, ids of what earlier steps made, settings. */
  readonly inputs: (earlier: Made) => unknown;
  readonly present: (made: Made) => boolean;
  readonly run: (earlier: Made) => Promise<FinishedStep>;
  /** The summary of an earlier run, if later records can change it. Default: as it was. */
  readonly describe?: (made: Made) => string;
}

export interface FinishedStep {
  readonly made: Made;
  readonly summary: string;
  /** Why later steps cannot run, and how to resolve this. */
  readonly stop?: string;
}

/**
 * Outcome of a step. `planned` and `outdated` would run, the latter because what an earlier run of it used has changed;
 * `waiting`: blocked by an earlier step, which states the reason.
 */
export interface StepReport {
  readonly name: string;
  readonly state: "done" | "up_to_date" | "planned" | "outdated" | "waiting";
  readonly summary: string;
  readonly milliseconds: number;
}

export const wouldRun = ({ state }: Pick<StepReport, "state">): boolean => state === "planned" || state === "outdated";

export interface RunStepsOptions {
  readonly state: StepState;
  /** Saves the state after each step that ran, so that an interrupted run resumes after it. */
  readonly save: (state: StepState) => Promise<void>;
  /** Last step to run; undefined: all. */
  readonly until?: string | undefined;
  /** Whether to run every step even if it is up to date. */
  readonly force: boolean;
  /** Whether to report only what would run. */
  readonly dryRun: boolean;
  /** Current time in milliseconds. */
  readonly clock: () => number;
  readonly onStep: (report: StepReport) => void;
}

interface Progress {
  readonly state: StepState;
  readonly made: Made;
  /** Whether a previous step was only planned, so that the inputs of later steps are unknown. */
  readonly planning: boolean;
  /** Why later steps cannot run; null if they can. */
  readonly stop: string | null;
}

export interface RanSteps {
  readonly reports: readonly StepReport[];
  readonly made: Made;
  readonly stop: string | null;
}

/**
 * Runs the missing steps in order. A step is up to date if it ran with the same inputs and its outputs still exist. If
 * a step runs, its outputs are new inputs of later steps.
 */
export async function runSteps(steps: readonly ProjectStep[], options: RunStepsOptions): Promise<RanSteps> {
  const reports: StepReport[] = [];
  let progress: Progress = { state: options.state, made: {}, planning: false, stop: null };
  for (const step of steps) {
    const taken = await takeStep(step, progress, options);
    progress = taken.progress;
    reports.push(taken.report);
    options.onStep(taken.report);
    if (step.name === options.until) break;
  }
  return { reports, made: progress.made, stop: progress.stop };
}

async function takeStep(
  step: ProjectStep,
  before: Progress,
  options: RunStepsOptions,
): Promise<{ readonly report: StepReport; readonly progress: Progress }> {
  const { name } = step;
  const { state, made } = before;
  const idle = (as: "planned" | "outdated" | "waiting"): StepReport => ({
    name,
    state: as,
    summary: "",
    milliseconds: 0,
  });
  if (before.stop !== null) return { report: idle("waiting"), progress: before };
  const inputs = before.planning ? null : sha256Hex(canonicalBytes(step.inputs(made)));
  const last = state.steps[name];
  if (!options.force && last !== undefined && last.inputs_sha256 === inputs && step.present(last.made)) {
    return { report: upToDateReport(step, last), progress: behind(before, last) };
  }
  if (inputs === null || options.dryRun) {
    const as = last === undefined || options.force ? "planned" : "outdated";
    return { report: idle(as), progress: { ...before, planning: true } };
  }
  const started = options.clock();
  const finished = await step.run(made);
  const saved = { ...state, steps: { ...state.steps, [name]: { inputs_sha256: inputs, ...finished } } };
  await options.save(saved);
  const { summary } = finished;
  const report: StepReport = { name, state: "done", summary, milliseconds: options.clock() - started };
  return { report, progress: behind({ ...before, state: saved }, finished) };
}

function upToDateReport({ name, describe }: ProjectStep, last: StepState["steps"][string]): StepReport {
  const summary = describe === undefined ? last.summary : describe(last.made);
  return { name, state: "up_to_date", summary, milliseconds: 0 };
}

const behind = (before: Progress, { made, stop }: FinishedStep): Progress => ({
  ...before,
  made: { ...before.made, ...made },
  stop: stop ?? null,
});
