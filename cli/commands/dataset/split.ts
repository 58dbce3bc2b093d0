import type { FoldFractions } from "../../../datasets/assign-folds.js";
import type { Removal } from "../../../datasets/remove-workflows.js";
import { type CrossValidationWire, folds } from "../../../src/domain/split.js";
import { SluiceError } from "../../../src/errors/error.js";
import { defineCommand } from "../../command.js";
import { optional, preset } from "../../options.js";
import { count, id, list, probability, reference, seed as seedNumber, text, type ValueKind } from "../../parsers.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { commandResult } from "../../result.js";
import type { KeptSplit } from "../../../workbench/data/keep-dataset.js";
import { fields, table } from "../../table.js";
import { parseShares } from "./shares.js";

/** Shares of the folds, e.g. `0.35,0.15,0.3,0.2`. */
const shares: ValueKind<FoldFractions> = { placeholder: "FIT,TUNE,CERTIFY,EVAL", parse: parseShares };

export const datasetSplit = defineCommand({
  name: ["dataset", "split"],
  describe: "Split a data set into folds that share no workflow, or, for claims about this catalog, no request",
  positionals: {},
  options: {
    dataset: optional(id, "data set; the latest when absent"),
    catalog: optional(reference, "catalog of its labels; the latest that has them when absent"),
    seed: preset(seedNumber, "1", "seed of the draw"),
    shares: preset(shares, "0.35,0.15,0.3,0.2", "share of the workflows that each fold gets"),
    by: preset(
      text,
      "workflow",
      "what no two folds share: workflow, domain, service, group, a slice, request; or role, as published",
    ),
    "keep-fit": optional(id, "split whose FIT fold stays FIT, because the models were fitted on it"),
    folds: optional(count, "small data: number of parts that take turns as folds, at least 4"),
    repeats: preset(count, "1", "small data: how often the parts are drawn anew"),
    "remove-held-out": optional(probability, "share of the workflows to take out of the catalog"),
    remove: optional(list, "workflows, services or domains to take out of the catalog"),
  },
  examples: [
    [
      "sluice dataset split --by domain --remove-held-out 0.2",
      "folds without a common domain; near out-of-scope requests",
    ],
    ["sluice dataset split --by request", "folds with the same workflows, for claims about this catalog"],
  ],
  run: async (context, args) => {
    const { splitDataset } = await import("../../../workbench/use-cases/split-dataset.js");
    const { dataset, catalog, seed, shares: wanted, by } = args;
    const kept = await splitDataset(context, {
      dataset,
      catalog,
      seed,
      shares: wanted,
      by,
      keepFit: args.keepFit,
      removal: removalOf(args.removeHeldOut, args.remove),
      crossValidation: args.folds === undefined ? undefined : { parts: args.folds, repeats: args.repeats },
    });
    const [first = kept.splitId] = kept.assignmentIds;
    return commandResult({
      schema: "dataset-split@1",
      result: { split: kept.splitId, document: kept.split, assignments: kept.assignmentIds },
      lines: splitLines(kept),
      warnings:
        kept.split.folds.fit.workflows === 0
          ? ["fold fit has no workflow, so no model can be fitted on this split"]
          : [],
      next: [context.nextLine("dataset", "audit", "--split", shortId(first))],
    });
  },
});

function removalOf(share: number | undefined, names: readonly string[] | undefined): Removal | undefined {
  if (share !== undefined && names !== undefined) {
    throw new SluiceError("USAGE", "--remove-held-out and --remove were both given, expected one", {
      hint: "Name the workflows, or let a share be drawn.",
    });
  }
  if (share !== undefined) return { kind: "share", share };
  return names === undefined ? undefined : { kind: "names", names };
}

/** The split in words: one line for each fold, and one for each assignment of a cross-validation. */
export function splitLines({ splitId, split, assignmentIds }: KeptSplit): readonly string[] {
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
      ["disjoint by", split.disjoint_by],
      ...(split.removed === undefined ? [] : [removedField(split.removed.workflows)]),
    ]),
    "",
    ...table(rows, ["fold", "share", "workflows", "requests", "out of scope"]),
    ...assignmentLines(split.cross_validation, assignmentIds),
  ];
}

const shownRemoved = 5;

function removedField(workflows: readonly string[]): readonly [string, string] {
  const more = workflows.length > shownRemoved ? ` and ${workflows.length - shownRemoved} more` : "";
  return ["removed", `${workflows.slice(0, shownRemoved).join(", ")}${more}`];
}

function assignmentLines(validation: CrossValidationWire | undefined, ids: readonly string[]): readonly string[] {
  if (validation === undefined) return [];
  const rows = validation.assignments.map(({ repeat, rotation, folds: own }, index) => [
    shortId(ids[index] ?? ""),
    String(repeat + 1),
    String(rotation + 1),
    ...folds.map((fold) => String(own[fold].workflows)),
  ]);
  return ["", ...table(rows, ["split", "repeat", "rotation", ...folds.map((fold) => `${fold} workflows`)])];
}
