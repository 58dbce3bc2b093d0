import type { Split } from "../../../src/documents/split.js";
import { folds } from "../../../src/documents/choices.js";
import { shortId } from "../../../src/base/text.js";
import type { StoredSplit } from "../../../stages/import/save-dataset.js";
import { fields, table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { datasetSplitSpec } from "../../specs/dataset.js";
import { splitDataset } from "../../../stages/split.js";

export const datasetSplit: WorkOf<typeof datasetSplitSpec> = async (context, args) => {
  const kept = await splitDataset(context, args);
  const [first = kept.split] = kept.assignments;
  return {
    result: kept,
    lines: splitLines(kept),
    warnings:
      kept.document.folds.fit.workflows === 0
        ? ["fold FIT has no workflow, so no model can be fitted on this split"]
        : [],
    next: [context.next("dataset", "audit", "--split", shortId(first))],
  };
};

/** Output lines: one per fold, and one per assignment of a cross-validation. */
export function splitLines({
  split: splitId,
  document: split,
  assignments: assignmentIds,
}: StoredSplit): readonly string[] {
  const rows = folds.map((fold) => {
    const { requests, workflows, out_of_scope } = split.folds[fold];
    return [fold, String(split.fractions[fold]), String(workflows), String(requests), String(out_of_scope)];
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

function assignmentLines(validation: Split["cross_validation"], ids: readonly string[]): readonly string[] {
  if (validation === undefined) return [];
  const rows = validation.assignments.map(({ repeat, rotation, folds: own }, index) => [
    shortId(ids[index] ?? ""),
    String(repeat + 1),
    String(rotation + 1),
    ...folds.map((fold) => String(own[fold].workflows)),
  ]);
  return ["", ...table(rows, ["split", "repeat", "rotation", ...folds.map((fold) => `${fold} workflows`)])];
}
