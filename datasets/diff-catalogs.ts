import type { Catalog, Workflow } from "../src/documents/catalog.js";

/** What changed in one field. A list changes by its entries, any other field from one value to another. */
export type FieldChange =
  | { readonly kind: "value"; readonly field: string; readonly from: string; readonly to: string }
  | {
      readonly kind: "entries";
      readonly field: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      /** The same entries in another order, which can matter because examples are read in order. */
      readonly reordered: boolean;
    };

export interface ChangedWorkflow {
  readonly workflowId: string;
  readonly changes: readonly FieldChange[];
}

/** Differences between two catalogs. Ids are in catalog order. */
export interface CatalogDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Workflows that are the same under another id. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  readonly changed: readonly ChangedWorkflow[];
  readonly unchanged: number;
}

/** Fields of a workflow under their names in the file, apart from its id. */
const fieldNames = {
  version: "version",
  name: "name",
  description: "description",
  owner: "owner",
  status: "status",
  riskTier: "risk_tier",
  sideEffect: "side_effect",
  confirmation: "confirmation",
  capabilities: "capabilities",
  exclusions: "exclusions",
  examples: "examples",
  requiredInputs: "required_inputs",
  optionalInputs: "optional_inputs",
  eventTypes: "event_types",
  metadata: "metadata",
} as const satisfies Readonly<Record<Exclude<keyof Workflow, "workflowId">, string>>;

/** The differences between two catalogs, workflow by workflow and field by field; defaults count as written out. */
export function diffCatalogs(from: Catalog, to: Catalog): CatalogDiff {
  const before = new Map(from.workflows.map((workflow) => [workflow.workflowId, workflow]));
  const after = new Map(to.workflows.map((workflow) => [workflow.workflowId, workflow]));
  const gone = from.workflows.filter(({ workflowId }) => !after.has(workflowId));
  const fresh = to.workflows.filter(({ workflowId }) => !before.has(workflowId));
  const renamed = gone.flatMap((workflow) => {
    const twin = fresh.find((other) => changesOf(workflow, other).length === 0);
    return twin === undefined ? [] : [{ from: workflow.workflowId, to: twin.workflowId }];
  });
  const moved = new Set(renamed.flatMap((pair) => [pair.from, pair.to]));
  const both = to.workflows.flatMap((workflow) => {
    const old = before.get(workflow.workflowId);
    return old === undefined ? [] : [{ workflowId: workflow.workflowId, changes: changesOf(old, workflow) }];
  });
  const changed = both.filter(({ changes }) => changes.length > 0);
  const idsOf = (workflows: readonly Workflow[]): readonly string[] =>
    workflows.map(({ workflowId }) => workflowId).filter((id) => !moved.has(id));
  return { added: idsOf(fresh), removed: idsOf(gone), renamed, changed, unchanged: both.length - changed.length };
}

function changesOf(from: Workflow, to: Workflow): readonly FieldChange[] {
  const fields = Object.entries(fieldNames) as readonly (readonly [keyof typeof fieldNames, string])[];
  return fields.flatMap(([field, name]): readonly FieldChange[] => {
    const [old, now] = [from[field], to[field]];
    if (Array.isArray(old) && Array.isArray(now)) return entryChange(name, old.map(inWords), now.map(inWords));
    const [was, is] = [inWords(old), inWords(now)];
    return was === is ? [] : [{ kind: "value", field: name, from: was, to: is }];
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
