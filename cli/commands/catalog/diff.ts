import type { CatalogDiff, FieldChange } from "../../../workbench/catalog/diff-catalogs.js";
import { defineCommand } from "../../command.js";
import { required } from "../../options.js";
import { reference } from "../../parsers.js";
import { commandResult } from "../../result.js";

export const catalogDiff = defineCommand({
  name: ["catalog", "diff"],
  describe: "Say what changed between two catalogs, workflow by workflow and field by field",
  positionals: {
    before: required(reference, "catalog file, or the id of a catalog in the history"),
    after: required(reference, "the one that it became"),
  },
  options: {},
  examples: [
    ["sluice catalog diff catalog.yaml catalog.yaml.proposed", "what a second init proposes"],
    ["sluice catalog diff 6f644a0b catalog.yaml --json", "a released catalog and the edited file, as data"],
  ],
  run: async (context, args) => {
    const { catalogSource } = await import("../../../workbench/catalog/catalog-source.js");
    const { diffCatalogs } = await import("../../../workbench/catalog/diff-catalogs.js");
    const [before, after] = [await catalogSource(context, args.before), await catalogSource(context, args.after)];
    const diff = diffCatalogs(before.catalog, after.catalog);
    return commandResult({
      schema: "catalog-diff@1",
      result: { before: before.catalog.sha256, after: after.catalog.sha256, ...wire(diff) },
      lines: diffLines(diff),
    });
  },
});

const wire = ({ added, removed, renamed, changed, unchanged }: CatalogDiff) => ({
  added,
  removed,
  renamed,
  changed: changed.map(({ workflowId, changes }) => ({ workflow_id: workflowId, changes })),
  unchanged,
});

/** The result in words. */
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
    ...changed.flatMap(({ workflowId, changes }) => [`~ ${workflowId}`, ...changes.flatMap(changeLines)]),
  ];
}

function changeLines(change: FieldChange): readonly string[] {
  if (change.kind === "value") return [`    ${change.field}: ${change.from} -> ${change.to}`];
  if (change.reordered) return [`    ${change.field}: the same entries in another order`];
  return [
    `    ${change.field}: ${change.added.length} added, ${change.removed.length} removed`,
    ...change.added.map((entry) => `      + ${entry}`),
    ...change.removed.map((entry) => `      - ${entry}`),
  ];
}
