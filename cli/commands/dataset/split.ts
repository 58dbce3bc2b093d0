import type { FoldFractions } from "../../../datasets/assign-folds.js";
import { folds, type SplitWire } from "../../../src/domain/split.js";
import { defineCommand } from "../../command.js";
import { optional, preset } from "../../options.js";
import { id, reference, seed as seedNumber, type ValueKind } from "../../parsers.js";
import { catalogOf, withHistory } from "../../records.js";
import { shortId } from "../../short-id.js";
import { commandResult } from "../../result.js";
import { fields, table } from "../../table.js";
import { parseShares } from "./shares.js";

/** Shares of the folds, e.g. `0.35,0.15,0.3,0.2`. */
const shares: ValueKind<FoldFractions> = { placeholder: "FIT,TUNE,CERTIFY,EVAL", parse: parseShares };

export const datasetSplit = defineCommand({
  name: ["dataset", "split"],
  describe: "Split a data set into folds that share no workflow",
  positionals: {},
  options: {
    dataset: optional(id, "data set; the latest when absent"),
    catalog: optional(reference, "catalog of its labels; the latest when absent"),
    seed: preset(seedNumber, "1", "seed of the draw"),
    shares: preset(shares, "0.35,0.15,0.3,0.2", "share of the workflows that each fold gets"),
  },
  examples: [
    ["sluice dataset split", "the latest data set with the usual shares"],
    ["sluice dataset split --dataset 3f9c01ab --seed 7", "another data set, another draw"],
  ],
  run: (context, args) =>
    withHistory(context, "write", async (stage) => {
      const { readDataset } = await import("../../stages/read-records.js");
      const { keepSplit } = await import("../../stages/keep-dataset.js");
      const { sha256, document: rows } = readDataset(stage.history, args.dataset);
      const catalog = await catalogOf(stage.history, args.catalog);
      const { seed, shares: fractions } = args;
      const { splitId, split } = keepSplit(stage, { dataset: { sha256, rows }, catalog, seed, fractions });
      return commandResult({
        schema: "dataset-split@1",
        result: { split: splitId, document: split },
        lines: splitLines(splitId, split),
        next: [context.nextLine("dataset", "audit", "--split", shortId(splitId))],
      });
    }),
});

/** The split in words: one line for each fold. */
export function splitLines(splitId: string, split: SplitWire): readonly string[] {
  const rows = folds.map((fold) => {
    const { requests, workflows, out_of_scope: outOfScope } = split.folds[fold];
    return [fold, String(split.fractions[fold]), String(workflows), String(requests), String(outOfScope)];
  });
  return [
    ...fields([
      ["split", shortId(splitId)],
      ["dataset", shortId(split.dataset_sha256)],
      ["catalog", shortId(split.catalog_sha256)],
      ["seed", String(split.seed)],
    ]),
    "",
    ...table(rows, ["fold", "share", "workflows", "requests", "out of scope"]),
  ];
}
