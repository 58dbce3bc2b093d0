import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { fields } from "../../table.js";
import { toSnake } from "../../../src/domain/camel.js";
import { choicesOf } from "./claim-options.js";
import type { WorkOf } from "../../command.js";
import type { calibrateSimulateShape } from "../../shapes/calibrate.js";
import { simulateCalibrations } from "../../../workbench/calibration/simulate-calibrations.js";
import { readRun } from "../../../workbench/records/read-records.js";
import { describeSimulation, summariseSimulation } from "../../../calibrate/simulate/summarise-simulation.js";

export const calibrateSimulate: WorkOf<typeof calibrateSimulateShape> = (context, args) =>
  withHistory(context, "write", async (stage) => {
    const run = readRun(stage.history, args.run);
    const repetitions = await simulateCalibrations(stage, {
      runId: run.sha256,
      choices: choicesOf(args),
      repetitions: args.repetitions,
      firstSeed: args.firstSeed,
      factors: [...new Set(args.dataFactors)],
    });
    const summaries = summariseSimulation(repetitions, args.delta);
    return {
      schema: "calibrate-simulate@2",
      result: toSnake({ run: run.sha256, firstSeed: args.firstSeed, delta: args.delta, summaries, repetitions }),
      lines: [...fields([["run", shortId(run.sha256)]]), "", ...describeSimulation(summaries, args.delta)],
      next: [context.nextLine("calibrate", "fit")],
    };
  });
