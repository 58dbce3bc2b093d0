import { setImmediate as nextTurn } from "node:timers/promises";
import { join } from "node:path";
import { simulatedPopulationOf } from "../../calibrate/simulate/population.js";
import { type Repetition, repetitionId, simulateCalibration } from "../../calibrate/simulate/simulate-calibration.js";
import { openResumeLog } from "../../eval/resume-log.js";
import { canonicalJson } from "../../src/digest/canonical-json.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import { SluiceError } from "../../src/errors/error.js";
import type { FitChoices } from "./fit-thresholds.js";
import { recordsOfRun } from "./records-of-run.js";
import { readRun } from "../records/read-records.js";
import type { Stage } from "../records/stage.js";

export interface SimulateOptions {
  readonly runId?: string;
  readonly choices: FitChoices;
  readonly repetitions: number;
  /** Seed of the first repetition; the next ones follow. */
  readonly firstSeed: number;
  /** Sizes of the folds in multiples of the present ones. */
  readonly factors: readonly number[];
}

/**
 * Repeats the calibration of a run on resampled workflows. Finished repetitions are stored in the workspace until all
 * are done, so an interrupted simulation resumes where it stopped.
 * @throws {SluiceError} INTERRUPTED, CALIBRATION_INVALID, and those of reading
 */
export async function simulateCalibrations(stage: Stage, options: SimulateOptions): Promise<readonly Repetition[]> {
  const { choices, repetitions, firstSeed, factors } = options;
  const run = readRun(stage.history, options.runId);
  const population = simulatedPopulationOf(recordsOfRun(stage.history, run));
  const inputs = sha256Hex(canonicalJson({ run: run.sha256, choices, what: "simulation" }));
  const log = openResumeLog<Repetition>(join(stage.context.workspace.directory, "unfinished"), inputs);
  const plan = factors.flatMap((factor) =>
    Array.from({ length: repetitions }, (_, i) => ({ seed: firstSeed + i, factor })),
  );
  const { progress, signal } = stage.context;
  progress.start("simulating", plan.length);
  const done: Repetition[] = [];
  for (const one of plan) {
    await nextTurn();
    if (signal.aborted) throw interrupted(done.length, plan.length);
    const known = log.done.get(repetitionId(one.seed, one.factor));
    const repetition = known ?? simulateCalibration(population, choices, one);
    if (known === undefined) log.append(repetition);
    done.push(repetition);
    progress.update(done.length);
  }
  progress.done();
  log.remove();
  return done;
}

function interrupted(done: number, all: number): SluiceError {
  return new SluiceError("INTERRUPTED", `stopped after ${done} of ${all} repetitions`, {
    hint: "Run the same command again: it resumes after the finished repetitions.",
    details: { done, all },
  });
}
