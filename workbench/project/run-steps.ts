import { canonicalBytes } from "../../src/digest/canonical-json.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import type { StepOutputs, StepState } from "./step-state.js";

/** One step of a project: what it depends on, and what it makes. */
export interface ProjectStep {
  readonly name: string;
  /** Everything that decides the output, JSON-safe: digests, ids of earlier outputs, settings. */
  readonly inputs: (earlier: StepOutputs) => unknown;
  /** Whether the outputs of an earlier run are still there. */
  readonly present: (outputs: Readonly<Record<string, string>>) => boolean;
  readonly run: (earlier: StepOutputs) => Promise<FinishedStep>;
}

/** Ids of what a step made by name, and a line for a person. */
export interface FinishedStep {
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** What became of a step. */
export interface StepReport {
  readonly name: string;
  readonly state: "done" | "up_to_date" | "planned";
  readonly summary: string;
  readonly milliseconds: number;
}

export interface RunStepsOptions {
  readonly state: StepState;
  /** Called after each step that ran, so that an interrupted run resumes behind it. */
  readonly save: (state: StepState) => Promise<void>;
  /** Last step that runs; undefined: all. */
  readonly until?: string;
  /** Runs every step although it is up to date. */
  readonly force: boolean;
  /** Says what would run, and runs nothing. */
  readonly dryRun: boolean;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly onStep: (report: StepReport) => void;
}

/** Where a run stands between two steps. */
interface Progress {
  readonly state: StepState;
  readonly outputs: StepOutputs;
  /** Once a step is only planned, the inputs of those behind it are not known. */
  readonly planning: boolean;
}

/**
 * Runs the steps that are missing, in order. A step is up to date when it ran with the same inputs and its outputs are
 * still there; once a step runs, its outputs are new inputs to the steps behind it.
 */
export async function runSteps(
  steps: readonly ProjectStep[],
  options: RunStepsOptions,
): Promise<{ readonly reports: readonly StepReport[]; readonly outputs: StepOutputs }> {
  const reports: StepReport[] = [];
  let progress: Progress = { state: options.state, outputs: {}, planning: false };
  for (const step of steps) {
    const taken = await takeStep(step, progress, options);
    progress = taken.progress;
    reports.push(taken.report);
    options.onStep(taken.report);
    if (step.name === options.until) break;
  }
  return { reports, outputs: progress.outputs };
}

async function takeStep(
  step: ProjectStep,
  { state, outputs, planning }: Progress,
  options: RunStepsOptions,
): Promise<{ readonly report: StepReport; readonly progress: Progress }> {
  const { name } = step;
  const inputs = planning ? null : sha256Hex(canonicalBytes(step.inputs(outputs)));
  const last = state.steps[name];
  if (!options.force && last !== undefined && last.inputs_sha256 === inputs && step.present(last.outputs)) {
    const report: StepReport = { name, state: "up_to_date", summary: last.summary, milliseconds: 0 };
    return { report, progress: { state, outputs: { ...outputs, [name]: last.outputs }, planning } };
  }
  if (inputs === null || options.dryRun) {
    const report: StepReport = { name, state: "planned", summary: "", milliseconds: 0 };
    return { report, progress: { state, outputs, planning: true } };
  }
  const started = options.clock();
  const finished = await step.run(outputs);
  const saved = { ...state, steps: { ...state.steps, [name]: { inputs_sha256: inputs, ...finished } } };
  await options.save(saved);
  const report: StepReport = {
    name,
    state: "done",
    summary: finished.summary,
    milliseconds: options.clock() - started,
  };
  return { report, progress: { state: saved, outputs: { ...outputs, [name]: finished.outputs }, planning } };
}
