import type { CatalogDiff, FieldChange } from "../../../datasets/diff-catalogs.js";
import type { WorkOf } from "../../command.js";
import type { catalogDiffSpec } from "../../specs/catalog.js";
import { compareCatalogs } from "../../../stages/catalog.js";

export const catalogDiff: WorkOf<typeof catalogDiffSpec> = async (context, args) => {
  const { before, after, diff } = await compareCatalogs(context, args.before, args.after);
  return {
    result: { before, after, ...diff },
    lines: diffLines(diff),
  };
};

export function diffLines({ added, removed, renamed, changed, unchanged }: CatalogDiff): readonly string[] {
  const counts = [
    [added.length, "added"],
    [removed.length, "removed"],
    [renamed.length, "renamed"],
    [changed.length, "changed"],
    [unchanged, "unchanged"],
  ] as const;
  const summary = counts.map(([count, word]) => `${count} ${word}`).join(", ");
  return [
    `workflows: ${summary}`,
    ...added.map((id) => `+ ${id}`),
    ...removed.map((id) => `- ${id}`),
    ...renamed.map(({ from, to }) => `= ${from} is now ${to}`),
    ...changed.flatMap(({ workflow_id: workflowId, changes }) => [`~ ${workflowId}`, ...changes.flatMap(changeLines)]),
  ];
}

function changeLines(change: FieldChange): readonly string[] {
  if (change.kind === "value") return [`    ${change.field}: ${change.from} -> ${change.to}`];
  if (change.reordered) return [`    ${change.field}: same entries, different order`];
  return [
    `    ${change.field}: ${change.added.length} added, ${change.removed.length} removed`,
    ...change.added.map((entry) => `      + ${entry}`),
    ...change.removed.map((entry) => `      - ${entry}`),
  ];
}
