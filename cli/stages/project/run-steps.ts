import { canonicalBytes } from "../../../src/digest/canonical-json.js";
import { sha256Hex } from "../../../src/digest/sha256.js";
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

/**
 * Runs the steps that are missing, in order. A step is up to date when it ran with the same inputs and its outputs are
 * still there; once a step runs, its outputs are new inputs to the steps behind it.
 */
export async function runSteps(
  steps: readonly ProjectStep[],
  options: RunStepsOptions,
): Promise<{ readonly reports: readonly StepReport[]; readonly outputs: StepOutputs }> {
  const reports: StepReport[] = [];
  let { state } = options;
  let outputs: StepOutputs = {};
  for (const step of steps) {
    const planned = reports.at(-1)?.state === "planned";
    const inputs = planned ? null : sha256Hex(canonicalBytes(step.inputs(outputs)));
    const last = state.steps[step.name];
    const isFresh = !options.force && last?.inputs_sha256 === inputs && step.present(last.outputs);
    if (last !== undefined && isFresh) {
      outputs = { ...outputs, [step.name]: last.outputs };
      reports.push({ name: step.name, state: "up_to_date", summary: last.summary, milliseconds: 0 });
    } else if (inputs === null || options.dryRun) {
      reports.push({ name: step.name, state: "planned", summary: "", milliseconds: 0 });
    } else {
      const started = options.clock();
      const { summary, ...finished } = await step.run(outputs);
      outputs = { ...outputs, [step.name]: finished.outputs };
      state = { ...state, steps: { ...state.steps, [step.name]: { inputs_sha256: inputs, summary, ...finished } } };
      await options.save(state);
      reports.push({ name: step.name, state: "done", summary, milliseconds: options.clock() - started });
    }
    const report = reports.at(-1);
    if (report !== undefined) options.onStep(report);
    if (step.name === options.until) break;
  }
  return { reports, outputs };
}
