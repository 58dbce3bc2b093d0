import type { Catalog, Workflow } from "../src/documents/catalog.js";

/** The change of one field: added and removed entries for a list, the old and the new value for any other field. */
export type FieldChange =
  | { readonly kind: "value"; readonly field: string; readonly from: string; readonly to: string }
  | {
      readonly kind: "entries";
      readonly field: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      /** The entries are the same in a different order, which can matter because examples are read in order. */
      readonly reordered: boolean;
    };

export interface ChangedWorkflow {
  readonly workflow_id: string;
  readonly changes: readonly FieldChange[];
}

/** Differences between two catalogs. Ids are in catalog order. */
export interface CatalogDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Workflows of which only the id changed. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  readonly changed: readonly ChangedWorkflow[];
  readonly unchanged: number;
}

/** All fields of a workflow except its id. */
const comparedFields = [
  "version",
  "name",
  "description",
  "owner",
  "status",
  "risk_tier",
  "side_effect",
  "confirmation",
  "capabilities",
  "exclusions",
  "examples",
  "required_inputs",
  "optional_inputs",
  "event_types",
  "metadata",
] as const satisfies readonly Exclude<keyof Workflow, "workflow_id">[];

/** Compares two catalogs workflow by workflow and field by field. An omitted field equals its default. */
export function diffCatalogs(from: Catalog, to: Catalog): CatalogDiff {
  const before = new Map(from.workflows.map((workflow) => [workflow.workflow_id, workflow]));
  const after = new Map(to.workflows.map((workflow) => [workflow.workflow_id, workflow]));
  const gone = from.workflows.filter(({ workflow_id: workflowId }) => !after.has(workflowId));
  const fresh = to.workflows.filter(({ workflow_id: workflowId }) => !before.has(workflowId));
  const renamed = gone.flatMap((workflow) => {
    const twin = fresh.find((other) => changesOf(workflow, other).length === 0);
    return twin === undefined ? [] : [{ from: workflow.workflow_id, to: twin.workflow_id }];
  });
  const moved = new Set(renamed.flatMap((pair) => [pair.from, pair.to]));
  const both = to.workflows.flatMap((workflow) => {
    const old = before.get(workflow.workflow_id);
    return old === undefined ? [] : [{ workflow_id: workflow.workflow_id, changes: changesOf(old, workflow) }];
  });
  const changed = both.filter(({ changes }) => changes.length > 0);
  const idsOf = (workflows: readonly Workflow[]): readonly string[] =>
    workflows.map(({ workflow_id: workflowId }) => workflowId).filter((id) => !moved.has(id));
  return { added: idsOf(fresh), removed: idsOf(gone), renamed, changed, unchanged: both.length - changed.length };
}

function changesOf(from: Workflow, to: Workflow): readonly FieldChange[] {
  return comparedFields.flatMap((field): readonly FieldChange[] => {
    const [old, now] = [from[field], to[field]];
    if (Array.isArray(old) && Array.isArray(now)) return entryChange(field, old.map(inWords), now.map(inWords));
    const [was, is] = [inWords(old), inWords(now)];
    return was === is ? [] : [{ kind: "value", field, from: was, to: is }];
  });
}

function entryChange(field: string, from: readonly string[], to: readonly string[]): readonly FieldChange[] {
  const added = to.filter((entry) => !from.includes(entry));
  const removed = from.filter((entry) => !to.includes(entry));
  const same = added.length === 0 && removed.length === 0;
  const reordered = same && from.join("\0") !== to.join("\0");
  return same && !reordered ? [] : [{ kind: "entries", field, added, removed, reordered }];
}

function inWords(value: unknown): string {
  if (value === null) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
