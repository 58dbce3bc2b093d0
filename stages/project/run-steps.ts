import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { StepOutputs, StepState } from "./step-state.js";

/** One step of a project: what it depends on, and what it makes. */
export interface ProjectStep {
  readonly name: string;
  /** Everything that determines the output, JSON-safe: digests, ids of earlier outputs, settings. */
  readonly inputs: (earlier: StepOutputs) => unknown;
  /** Whether the outputs of an earlier run still exist. */
  readonly present: (outputs: Readonly<Record<string, string>>) => boolean;
  readonly run: (earlier: StepOutputs) => Promise<FinishedStep>;
}

/** Ids of what a step made by name, and a line for a person. */
export interface FinishedStep {
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Why later steps cannot run yet, and how to change that. */
  readonly stop?: string;
}

/** Outcome of a step. `waiting`: an earlier step names what is missing. */
export interface StepReport {
  readonly name: string;
  readonly state: "done" | "up_to_date" | "planned" | "waiting";
  readonly summary: string;
  readonly milliseconds: number;
}

export interface RunStepsOptions {
  readonly state: StepState;
  /** Called after each step that ran, so that an interrupted run resumes after it. */
  readonly save: (state: StepState) => Promise<void>;
  /** Last step that runs; undefined: all. */
  readonly until?: string | undefined;
  /** Runs every step even if it is up to date. */
  readonly force: boolean;
  /** Reports what would run, and runs nothing. */
  readonly dryRun: boolean;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly onStep: (report: StepReport) => void;
}

/** State of a run between two steps. */
interface Progress {
  readonly state: StepState;
  readonly outputs: StepOutputs;
  /** After a step that is only planned, the inputs of later steps are unknown. */
  readonly planning: boolean;
  /** Why later steps cannot run; null while they can. */
  readonly stop: string | null;
}

/** What a run did, its outputs, and what blocks the other steps. */
export interface RanSteps {
  readonly reports: readonly StepReport[];
  readonly outputs: StepOutputs;
  readonly stop: string | null;
}

/**
 * Runs the steps that are missing, in order. A step is up to date when it ran with the same inputs and its outputs
 * are still there; once a step runs, its outputs are new inputs to later steps.
 */
export async function runSteps(steps: readonly ProjectStep[], options: RunStepsOptions): Promise<RanSteps> {
  const reports: StepReport[] = [];
  let progress: Progress = { state: options.state, outputs: {}, planning: false, stop: null };
  for (const step of steps) {
    const taken = await takeStep(step, progress, options);
    progress = taken.progress;
    reports.push(taken.report);
    options.onStep(taken.report);
    if (step.name === options.until) break;
  }
  return { reports, outputs: progress.outputs, stop: progress.stop };
}

async function takeStep(
  step: ProjectStep,
  before: Progress,
  options: RunStepsOptions,
): Promise<{ readonly report: StepReport; readonly progress: Progress }> {
  const { name } = step;
  const { state, outputs } = before;
  const idle = (as: "planned" | "waiting"): StepReport => ({ name, state: as, summary: "", milliseconds: 0 });
  if (before.stop !== null) return { report: idle("waiting"), progress: before };
  const inputs = before.planning ? null : sha256Hex(canonicalBytes(step.inputs(outputs)));
  const last = state.steps[name];
  if (!options.force && last !== undefined && last.inputs_sha256 === inputs && step.present(last.outputs)) {
    const report: StepReport = { name, state: "up_to_date", summary: last.summary, milliseconds: 0 };
    return { report, progress: behind(before, name, last) };
  }
  if (inputs === null || options.dryRun) return { report: idle("planned"), progress: { ...before, planning: true } };
  const started = options.clock();
  const finished = await step.run(outputs);
  const saved = { ...state, steps: { ...state.steps, [name]: { inputs_sha256: inputs, ...finished } } };
  await options.save(saved);
  const { summary } = finished;
  const report: StepReport = { name, state: "done", summary, milliseconds: options.clock() - started };
  return { report, progress: behind({ ...before, state: saved }, name, finished) };
}

const behind = (before: Progress, name: string, { outputs, stop }: FinishedStep): Progress => ({
  ...before,
  outputs: { ...before.outputs, [name]: outputs },
  stop: stop ?? null,
});
