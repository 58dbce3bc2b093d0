import { counted } from "../../../src/documents/number-text.js";
import type { CountOf, DatasetDescription, FoldCount, LengthQuantiles } from "../../../datasets/describe.js";
import { shortId } from "../../../src/base/text.js";
import { fields, table } from "../../table.js";
import { describeStoredDataset } from "../../../stages/import.js";
import type { WorkOf } from "../../command.js";
import type { datasetShowSpec } from "../../specs/dataset.js";

/** Maximum number of listed workflows without --all. */
const shownWorkflows = 10;

export const datasetShow: WorkOf<typeof datasetShowSpec> = async (context, args, { all }) => {
  const { datasetId, description } = await describeStoredDataset(context, args);
  return {
    result: { dataset: datasetId, ...description },
    lines: showLines(datasetId, description, all ? Number.POSITIVE_INFINITY : shownWorkflows),
    next: [context.next("dataset", "audit", "--dataset", shortId(datasetId))],
  };
};

/** Output lines, with at most `limit` workflows; those with the most requests come first. */
export function showLines(dataset: string, description: DatasetDescription, limit: number): readonly string[] {
  const { length, per_workflow: perWorkflow, per_tier: perTier } = description;
  const hidden = Math.max(0, perWorkflow.length - limit);
  return [
    ...fields([
      ["dataset", shortId(dataset)],
      ["requests", String(description.requests)],
      ["in scope", `${description.in_scope}, for ${counted(description.workflows, "workflow")}`],
      ["out of scope", `${description.out_of_scope} in ${counted(description.out_of_scope_groups, "group")}`],
      ["with context", String(description.with_context)],
      ["with missing inputs", String(description.with_missing_inputs)],
    ]),
    "",
    ...(length === null ? [] : lengthLines(length)),
    ...foldLines(description.per_fold),
    ...section("risk tier", perTier),
    ...description.slices.flatMap(({ slice, values }) => section(`slice ${slice}`, values)),
    ...section("workflow", perWorkflow.slice(0, limit)),
    ...(hidden === 0 ? [] : [`and ${hidden} more (--all lists them)`]),
  ];
}

function lengthLines({ min, p05, p25, median, p75, p95, max }: LengthQuantiles): readonly string[] {
  const shown = [min, p05, p25, median, p75, p95, max].map((value) => String(Math.round(value * 10) / 10));
  return table([["characters", ...shown]], ["", "least", "5%", "25%", "50%", "75%", "95%", "most"]);
}

function foldLines(counts: readonly FoldCount[]): readonly string[] {
  if (counts.length === 0) return [];
  const rows = counts.map(({ fold, requests, workflows, out_of_scope: outOfScope }) => [
    fold,
    ...[requests, workflows, outOfScope].map(String),
  ]);
  return ["", ...table(rows, ["fold", "requests", "workflows", "out of scope"])];
}

function section(title: string, counts: readonly CountOf[]): readonly string[] {
  if (counts.length === 0) return [];
  const rows = counts.map(({ value, requests }) => [value, String(requests)]);
  return ["", ...table(rows, [title, "requests"])];
}
