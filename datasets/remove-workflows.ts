import type { Catalog, CatalogFile, Workflow } from "../src/documents/catalog.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
import { splitKey } from "./split-units.js";
import { groupBy } from "../src/base/group-by.js";

/** Which workflows to remove from the catalog: a random share, or named ones. */
export type Removal =
  | { readonly kind: "share"; readonly share: number }
  /** Workflow ids, services or domains. */
  | { readonly kind: "names"; readonly names: readonly string[] };

export interface RemovalInput {
  readonly rows: readonly LabelledRequest[];
  readonly catalog: Catalog;
  readonly removal: Removal;
  /**
   * The key that the split is disjoint by. A share is drawn within each value of the key (domain, service, ...);
   * workflows without a key are grouped by risk tier.
   */
  readonly by: string;
  readonly seed: number;
}

/**
 * Ids of the workflows to remove, ascending. The result does not depend on the order of the rows.
 * @throws {SluiceError} USAGE  the share is not in (0, 1), a name has no match, or no workflow or every workflow would
 *   be removed
 */
export function workflowsToRemove(input: RemovalInput): readonly WorkflowId[] {
  const removed =
    input.removal.kind === "share" ? drawn(input, input.removal.share) : named(input, input.removal.names);
  if (removed.length > 0 && removed.length < input.catalog.workflows.length) return removed;
  const count = `${removed.length} of ${input.catalog.workflows.length} workflows`;
  throw new SluiceError("USAGE", `${count} would be removed, expected at least one, but not all`, {
    hint: say`For example: ${command`sluice dataset split --remove-held-out 0.2`}`,
  });
}

function drawn({ rows, catalog, by, seed }: RemovalInput, share: number): readonly WorkflowId[] {
  const random = seededRandom(seed);
  const labelled = new Set(rows.flatMap((row) => row.workflow_id ?? []));
  const keys = keysOf(rows, by);
  const known = catalog.workflows.filter(({ workflow_id: workflowId }) => labelled.has(workflowId));
  const groups = groupBy(known, ({ workflow_id: workflowId, risk_tier: riskTier }) => keys.get(workflowId) ?? riskTier);
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, own]) => {
      const ids = own.map(({ workflow_id: workflowId }) => workflowId).sort();
      return random.shuffle(ids).slice(0, Math.round(share * ids.length));
    })
    .sort();
}

/** The key of each workflow that has one; if its rows have different keys, the alphabetically first. */
function keysOf(rows: readonly LabelledRequest[], by: string): ReadonlyMap<string, string> {
  const key = splitKey(by, rows);
  const keys = new Map<string, string>();
  for (const row of rows) {
    const value = key(row);
    if (row.workflow_id === null || value === null) continue;
    const known = keys.get(row.workflow_id);
    if (known === undefined || value < known) keys.set(row.workflow_id, value);
  }
  return keys;
}

function named({ rows, catalog }: RemovalInput, names: readonly string[]): readonly WorkflowId[] {
  const namesOf = new Map(
    catalog.workflows.map(({ workflow_id: workflowId }) => [workflowId, new Set<string>([workflowId])]),
  );
  for (const { workflow_id: workflowId } of catalog.workflows) {
    if (workflowId.includes(".")) namesOf.get(workflowId)?.add(workflowId.split(".")[0] ?? workflowId);
  }
  for (const { workflow_id: workflowId, slices } of rows) {
    for (const slice of ["service", "domain"]) {
      const value = slices?.[slice];
      if (workflowId !== null && value !== undefined) namesOf.get(workflowId)?.add(value);
    }
  }
  const removed = names.flatMap((name) => {
    const fitting = [...namesOf].filter(([, own]) => own.has(name)).map(([id]) => id);
    if (fitting.length > 0) return fitting;
    throw new SluiceError("USAGE", `no workflow, service or domain is called "${name}"`, {
      hint: say`List them: ${command`sluice dataset show --all`}`,
    });
  });
  return [...new Set(removed)].sort();
}

/** A catalog file without the removed workflows; its version contains their number. */
export function catalogWithout(catalog: Catalog, removed: ReadonlySet<string>): CatalogFile {
  const kept = catalog.workflows.filter(({ workflow_id: workflowId }) => !removed.has(workflowId));
  return {
    schema_version: 1,
    catalog_version: `${catalog.catalog_version.slice(0, 130)}-without-${removed.size}`,
    workflows: kept.map(workflowFile),
  };
}

type WorkflowFile = CatalogFile["workflows"][number];

const withoutNulls = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, own]) => own !== null)) as T;

/** A workflow in the format of a catalog file: null fields are omitted. */
const workflowFile = (workflow: Workflow): WorkflowFile =>
  ({
    ...withoutNulls(workflow),
    required_inputs: workflow.required_inputs.map(withoutNulls),
    optional_inputs: workflow.optional_inputs.map(withoutNulls),
  }) as WorkflowFile;
