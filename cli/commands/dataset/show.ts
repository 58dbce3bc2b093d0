import { counted } from "../../../src/documents/number-text.js";
import {
  type CountOf,
  type DatasetDescription,
  describeDataset,
  type FoldCount,
  type LengthQuantiles,
} from "../../../datasets/describe.js";
import { catalogOf, withHistory } from "../../../store/records/with-history.js";
import { shortId } from "../../../src/base/text.js";
import { fields, table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { datasetShowSpec } from "../../specs/dataset.js";
import { latestEntry } from "../../../store/history/read.js";
import { latestSplitOf, readCatalogOf, readDataset, readSplit } from "../../../store/records/read-records.js";

/** Workflows that are listed without --all. */
const shownWorkflows = 10;

export const datasetShow: WorkOf<typeof datasetShowSpec> = (context, args) =>
  withHistory(context, "read", async ({ history }) => {
    const named = args.split === undefined ? undefined : readSplit(history, args.split);
    const dataset = readDataset(history, args.dataset ?? named?.document.dataset_sha256);
    const split = named ?? latestSplitOf(history, dataset.sha256);
    const hasCatalog = latestEntry(history, "catalog") !== undefined;
    const found = hasCatalog ? readCatalogOf(history, dataset.document) : undefined;
    const catalog = args.catalog === undefined ? found : await catalogOf(history, args.catalog);
    const description = describeDataset(dataset.document, {
      ...(catalog === undefined ? {} : { catalog: catalog.document }),
      ...(split?.document.dataset_sha256 === dataset.sha256 ? { split: split.document } : {}),
    });
    return {
      result: { dataset: dataset.sha256, ...description },
      lines: showLines(dataset.sha256, description, args.all ? Number.POSITIVE_INFINITY : shownWorkflows),
      next: [context.nextLine("dataset", "audit", "--dataset", shortId(dataset.sha256))],
    };
  });

/** The counts in words; at most `limit` workflows, those with the most requests first. */
export function showLines(dataset: string, description: DatasetDescription, limit: number): readonly string[] {
  const { length, per_workflow: perWorkflow, per_tier: perTier } = description;
  const hidden = Math.max(0, perWorkflow.length - limit);
  return [
    ...fields([
      ["dataset", shortId(dataset)],
      ["requests", String(description.requests)],
      ["in scope", `${description.in_scope} of ${counted(description.workflows, "workflow")}`],
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

/** Lengths in characters, one column for each quantile. */
function lengthLines({ min, p05, p25, median, p75, p95, max }: LengthQuantiles): readonly string[] {
  const shown = [min, p05, p25, median, p75, p95, max].map((value) => String(Math.round(value * 10) / 10));
  return table([["characters", ...shown]], ["", "least", "5 %", "25 %", "50 %", "75 %", "95 %", "most"]);
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
