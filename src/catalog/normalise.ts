import type { Static } from "typebox";
import type { Sha256 } from "../digest/sha256.js";
import type {
  Catalog,
  CatalogFile,
  ResolvableInput,
  Workflow,
  WorkflowInputSchema,
  WorkflowSchema,
} from "../domain/catalog.js";

type InputFile = Static<typeof WorkflowInputSchema>;
type WorkflowFile = Static<typeof WorkflowSchema>;

const normaliseInput = (input: InputFile): ResolvableInput => ({
  name: input.name,
  description: input.description ?? "",
  aliases: input.aliases ?? [],
  pattern: input.pattern ?? null,
});

const normaliseWorkflow = (workflow: WorkflowFile): Workflow => ({
  workflowId: workflow.workflow_id,
  version: workflow.version,
  name: workflow.name,
  description: workflow.description,
  owner: workflow.owner ?? null,
  status: workflow.status ?? "active",
  riskTier: workflow.risk_tier,
  sideEffect: workflow.side_effect,
  confirmation: workflow.confirmation ?? "never",
  capabilities: workflow.capabilities ?? [],
  exclusions: workflow.exclusions ?? [],
  examples: workflow.examples ?? [],
  requiredInputs: (workflow.required_inputs ?? []).map(normaliseInput),
  optionalInputs: (workflow.optional_inputs ?? []).map(normaliseInput),
  eventTypes: workflow.event_types ?? [],
  metadata: workflow.metadata ?? {},
});

/** A schema-checked file with every default filled in. */
export function normaliseCatalog(file: CatalogFile, sha256: Sha256): Catalog {
  return { catalogVersion: file.catalog_version, sha256, workflows: file.workflows.map(normaliseWorkflow) };
}
