import { defineCommand } from "../../command.js";
import { optional, preset } from "../../options.js";
import { id, seed } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { commandResult } from "../../result.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { fields } from "../../table.js";
import { choicesOf, claimOptions } from "./claim-options.js";
import { times } from "./simulation-values.js";
import { factors } from "./targets.js";

export const calibrateSimulate = defineCommand({
  name: ["calibrate", "simulate"],
  describe: "Repeat the calibration on resampled workflows: how often claims break, and what more data would buy",
  positionals: {},
  options: {
    run: optional(id, "run; the latest when absent"),
    ...claimOptions,
    repetitions: preset(times, "200", "repetitions for each size of the folds"),
    "first-seed": preset(seed, "1", "seed of the first repetition; the next ones follow"),
    "data-factors": preset(factors, "1,2,4", "sizes of the folds, in multiples of the present ones"),
  },
  examples: [
    [
      "sluice calibrate simulate --target 0.1",
      "200 repetitions with the present amount of data, twice and four times it",
    ],
    ["sluice calibrate simulate --repetitions 500 --data-factors 1 --json", "more repetitions of one size, as data"],
  ],
  run: (context, args) =>
    withHistory(context, "write", async (stage) => {
      const { simulateCalibrations } = await import("../../../workbench/calibration/simulate-calibrations.js");
      const { readRun } = await import("../../../workbench/records/read-records.js");
      const { describeSimulation, summariseSimulation } = await import(
        "../../../calibrate/simulate/summarise-simulation.js"
      );
      const run = readRun(stage.history, args.run);
      const repetitions = await simulateCalibrations(stage, {
        runId: run.sha256,
        choices: choicesOf(args),
        repetitions: args.repetitions,
        firstSeed: args.firstSeed,
        factors: args.dataFactors,
      });
      const summaries = summariseSimulation(repetitions, args.delta);
      return commandResult({
        schema: "calibrate-simulate@1",
        result: { run: run.sha256, first_seed: args.firstSeed, delta: args.delta, summaries, repetitions },
        lines: [...fields([["run", shortId(run.sha256)]]), "", ...describeSimulation(summaries, args.delta)],
        next: [context.nextLine("calibrate", "fit")],
      });
    }),
});
