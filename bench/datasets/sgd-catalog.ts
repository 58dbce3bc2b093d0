import { type CatalogFile, CatalogFileSchema } from "../../src/documents/catalog.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { domainOf, serviceOf, workflowIdOf } from "./sgd-request.js";

export interface SgdInput {
  readonly name: string;
  readonly description: string;
}

/** One intent of a service. */
export interface SgdWorkflow {
  /** Name of the intent: `Service.Intent`. */
  readonly workflow: string;
  readonly name: string;
  readonly description: string;
  readonly transactional: boolean;
  readonly required: readonly SgdInput[];
  readonly optional: readonly SgdInput[];
}

const tierNote = "Intents that act are in tier high, intents that look something up in tier low.";

/**
 * Catalog of the intents with the descriptions of the schema and without examples. Transactional intents are internal
 * writes of tier high, the rest are read-only and of tier low.
 * @throws {SluiceError} DOCUMENT_INVALID  an intent that a catalog cannot contain
 */
export function sgdCatalog(workflows: readonly SgdWorkflow[]): CatalogFile {
  const catalog: CatalogFile = {
    schema_version: 1,
    catalog_version: `sgd-${workflows.length}-intents`,
    workflows: workflows.map((intent) => ({
      workflow_id: workflowIdOf(intent.workflow),
      version: "1",
      name: intent.name,
      description: `${intent.description}.`.replace(/\.\.$/, "."),
      risk_tier: intent.transactional ? ("high" as const) : ("low" as const),
      side_effect: intent.transactional ? ("internal_write" as const) : ("read_only" as const),
      required_inputs: [...intent.required],
      optional_inputs: [...intent.optional],
      metadata: { service: serviceOf(intent.workflow), domain: domainOf(serviceOf(intent.workflow)) },
    })),
    metadata: { source: "sgd", risk_tiers: tierNote },
  };
  return checkSchema(CatalogFileSchema, catalog, "catalog of the Schema-Guided Dialogue data");
}
