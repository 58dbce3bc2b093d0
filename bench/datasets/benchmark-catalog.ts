import type { CatalogInput, CatalogStyle } from "../../datasets/importers/assemble-dataset.js";
import { type CatalogFile, CatalogFileSchema } from "../../src/documents/catalog.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { riskTiers } from "../../src/documents/choices.js";

const tierNote =
  "Risk tiers are assigned in turn over the sorted intents (low, medium, high, critical, low, ...) so that every tier " +
  "exists. They say nothing about the real risk of a workflow.";

/**
 * Catalog of a benchmark: one read-only workflow per intent, whose name and description are the words of the intent. It
 * has no owners, so it is for evaluation and not for production.
 * @throws {SluiceError} DOCUMENT_INVALID  an intent or an example that a catalog cannot contain
 */
export function benchmarkCatalog(input: CatalogInput): CatalogFile {
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

/** For published datasets with test texts: the same number of examples for each intent, and tiers assigned in turn. */
export const benchmarkStyle: CatalogStyle = { catalogOf: benchmarkCatalog, sameExamples: true };
