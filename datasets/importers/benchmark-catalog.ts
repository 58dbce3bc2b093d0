import { type CatalogFile, CatalogFileSchema, riskTiers } from "../../src/domain/catalog.js";
import { checkSchema } from "../../src/domain/check-schema.js";
import type { WorkflowId } from "../../src/domain/primitives.js";
import { SluiceError } from "../../src/errors/error.js";

export interface BenchmarkCatalogInput {
  readonly name: string;
  readonly seed: number;
  /** Intent to workflow id, intents ascending. */
  readonly workflowIds: ReadonlyMap<string, WorkflowId>;
  readonly examples: ReadonlyMap<string, readonly string[]>;
}

const tierNote =
  "Risk tiers are assigned in turn over the sorted intents (low, medium, high, critical, low, ...) so that every tier " +
  "exists. They say nothing about the real risk of a workflow.";

/**
 * Workflow ids of the distinct intents, ascending by intent. An id is the intent in lower case, spaces as underscores
 * and slashes as dots; other characters than letters, digits, dot, dash and underscore are dropped; an id of fewer than three characters gets the prefix `workflow_`.
 * @throws {SluiceError} DATASET_INVALID  two intents give one id
 */
export function workflowIdsOf(intents: readonly string[]): ReadonlyMap<string, WorkflowId> {
  const sorted = [...new Set(intents)].sort();
  const intentOf = new Map<WorkflowId, string>();
  for (const intent of sorted) {
    const id = workflowIdOf(intent);
    const other = intentOf.get(id);
    if (other !== undefined) {
      throw new SluiceError("DATASET_INVALID", `intents "${other}" and "${intent}" both give the workflow id "${id}"`, {
        hint: "Rename one of the two intents in the source file.",
      });
    }
    intentOf.set(id, intent);
  }
  return new Map([...intentOf].map(([id, intent]) => [intent, id]));
}

/** The workflow id of one intent; see `workflowIdsOf`. */
export function workflowIdOf(intent: string): WorkflowId {
  const plain = intent
    .toLowerCase()
    .replace(/\s+/g, "_")
    .replaceAll("/", ".")
    .replace(/[^a-z0-9_.-]/g, "");
  return (plain.length >= 3 && /^[a-z]/.test(plain) ? plain : `workflow_${plain}`) as WorkflowId;
}

/**
 * Catalog of a benchmark: one read-only workflow per intent, named and described by the words of the intent.
 * It has no owners, so it is a catalog for evaluation and not for production.
 * @throws {SluiceError} SCHEMA_INVALID  an intent or an example that a catalog cannot hold
 */
export function benchmarkCatalog(input: BenchmarkCatalogInput): CatalogFile {
  const counts = [...input.examples.values()].map((examples) => examples.length);
  const catalog: CatalogFile = {
    schema_version: 1,
    catalog_version: `${input.name}-${Math.max(0, ...counts)}-examples-seed-${input.seed}`,
    workflows: [...input.workflowIds].map(([intent, workflowId], index) => ({
      workflow_id: workflowId,
      version: "1",
      name: wordsOf(intent.length < 3 ? workflowId : intent),
      description: `Workflow for ${wordsOf(intent)}.`,
      risk_tier: riskTiers[index % riskTiers.length] ?? "low",
      side_effect: "read_only" as const,
      examples: [...(input.examples.get(intent) ?? [])],
    })),
    metadata: { source: input.name, example_seed: input.seed, risk_tiers: tierNote },
  };
  return checkSchema(CatalogFileSchema, catalog, `catalog of ${input.name}`);
}

function wordsOf(intent: string): string {
  return intent.replaceAll("_", " ");
}
