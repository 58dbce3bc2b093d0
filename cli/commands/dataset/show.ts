import type { CountOf, DatasetDescription } from "../../../datasets/describe.js";
import { defineCommand } from "../../command.js";
import { flag, optional } from "../../options.js";
import { id, reference } from "../../parsers.js";
import { catalogIfAny, withHistory } from "../../records.js";
import { shortId } from "../../short-id.js";
import { commandResult } from "../../result.js";
import { fields, table } from "../../table.js";

/** Workflows that are listed without --all. */
const shownWorkflows = 10;

export const datasetShow = defineCommand({
  name: ["dataset", "show"],
  describe: "Count what a data set holds; never prints request texts",
  positionals: {},
  options: {
    dataset: optional(id, "data set; the latest when absent"),
    catalog: optional(reference, "catalog, for the risk tiers; the latest when absent"),
    all: flag("list every workflow"),
  },
  examples: [
    ["sluice dataset show", "the latest data set"],
    ["sluice dataset show --dataset 3f9c01ab --all", "another one, with every workflow"],
  ],
  run: (context, args) =>
    withHistory(context, "read", async ({ history }) => {
      const { describeDataset } = await import("../../../datasets/describe.js");
      const { readDataset } = await import("../../stages/read-records.js");
      const dataset = readDataset(history, args.dataset);
      const found = await catalogIfAny(history, args.catalog);
      const description = describeDataset(dataset.document, found?.document);
      return commandResult({
        schema: "dataset-show@1",
        result: { dataset: dataset.sha256, ...wire(description) },
        lines: showLines(dataset.sha256, description, args.all ? Number.POSITIVE_INFINITY : shownWorkflows),
        next: [context.nextLine("dataset", "audit", "--dataset", shortId(dataset.sha256))],
      });
    }),
});

function wire(description: DatasetDescription) {
  return {
    requests: description.requests,
    in_scope: description.inScope,
    out_of_scope: description.outOfScope,
    workflows: description.workflows,
    out_of_scope_groups: description.outOfScopeGroups,
    with_context: description.withContext,
    with_missing_inputs: description.withMissingInputs,
    length: description.length,
    per_workflow: description.perWorkflow,
    per_tier: description.perTier,
    slices: description.slices,
  };
}

/** The counts in words; at most `limit` workflows, those with the most requests first. */
export function showLines(dataset: string, description: DatasetDescription, limit: number): readonly string[] {
  const { length, perWorkflow, perTier } = description;
  const hidden = Math.max(0, perWorkflow.length - limit);
  return [
    ...fields([
      ["dataset", shortId(dataset)],
      ["requests", String(description.requests)],
      ["in scope", `${description.inScope} of ${description.workflows} workflows`],
      ["out of scope", `${description.outOfScope} in ${description.outOfScopeGroups} groups`],
      ["with context", String(description.withContext)],
      ["with missing inputs", String(description.withMissingInputs)],
      ["characters", length === null ? "none" : `${length.min} to ${length.max}, median ${length.median}`],
    ]),
    ...section("risk tier", perTier),
    ...description.slices.flatMap(({ slice, values }) => section(`slice ${slice}`, values)),
    ...section("workflow", perWorkflow.slice(0, limit)),
    ...(hidden === 0 ? [] : [`and ${hidden} more (--all lists them)`]),
  ];
}

function section(title: string, counts: readonly CountOf[]): readonly string[] {
  if (counts.length === 0) return [];
  const rows = counts.map(({ value, requests }) => [value, String(requests)]);
  return ["", ...table(rows, [title, "requests"])];
}
