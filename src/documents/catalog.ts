import { Type } from "../base/typebox.js";
import type { Sha256 } from "../base/sha256.js";
import { object, type ReadonlyStatic, VersionSchema, WorkflowIdSchema, type WorkflowId } from "./primitives.js";
import { riskTiers } from "./choices.js";

export const sideEffects = ["read_only", "internal_write", "external_write", "destructive"] as const;
export const workflowStatuses = ["active", "disabled", "deprecated"] as const;

/** Maximum number of examples of a workflow. */
export const mostExamples = 50;

const text = (minLength: number, maxLength: number, description: string) =>
  Type.String({ minLength, maxLength, description });

/** Up to `maxItems` texts of up to `maxLength` characters. */
const texts = (maxItems: number, maxLength: number, description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems, description, default: [] }));

// The descriptions below are published in docs/reference/catalog.md, and shown by editors that read the JSON Schema.

export const WorkflowInputSchema = object({
  name: Type.String({
    pattern: "^[a-z][a-z0-9_]{0,79}$",
    description: "Name of the input, as in the context of a request.",
  }),
  description: Type.Optional(Type.String({ maxLength: 500, description: "What the input is.", default: "" })),
  aliases: texts(20, 80, "Other names for it in the context."),
  pattern: Type.Optional(
    text(1, 500, "RE2 pattern that finds the value in the text: the group (?P<value>...), or the whole match."),
  ),
});

const inputs = (description: string) =>
  Type.Optional(Type.Array(WorkflowInputSchema, { maxItems: 30, description, default: [] }));

export const WorkflowSchema = object({
  workflow_id: Type.Unsafe<WorkflowId>({
    ...WorkflowIdSchema,
    description: "Id that a route returns. Do not change it once callers use it.",
  }),
  version: text(1, 40, "Version of the workflow, free text; returned with the id."),
  name: text(3, 160, "A short name. Used by retrieval."),
  description: text(10, 2000, "What the workflow does, in one or two sentences. Used by retrieval."),
  owner: Type.Optional(text(1, 160, "The team responsible for it. Required for active workflows in production.")),
  status: Type.Optional(
    Type.Enum([...workflowStatuses], {
      default: "active",
      description: "Only active workflows receive routes.",
    }),
  ),
  risk_tier: Type.Enum([...riskTiers], {
    description: "Cost of a wrong route. A policy can allow only some tiers.",
  }),
  side_effect: Type.Enum([...sideEffects], {
    description: "What the workflow changes. external_write and destructive require an exclusion and a confirmation.",
  }),
  confirmation: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 100,
      default: "never",
      description: 'When the caller must ask its user for confirmation: "never", or another word such as "always".',
    }),
  ),
  capabilities: texts(30, 300, "What it can do, one capability each. Used by retrieval."),
  exclusions: texts(30, 300, "What it is not for. Used by the verifier to distinguish similar workflows."),
  examples: texts(mostExamples, 1000, "Requests as people write them; the first few improve accuracy most."),
  required_inputs: inputs("Inputs required to run it; if one is missing, the decision is CLARIFY."),
  optional_inputs: inputs("Inputs that it can use if they are known."),
  negation: Type.Optional(
    Type.Literal("accepted", {
      description: "Requests that say not to do something may be routed here, as for a workflow that stops something.",
    }),
  ),
  event_types: texts(30, 160, "Events that route here without a text, where the policy allows exact events."),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Your own data; ignored by Sluice.",
      default: {},
    }),
  ),
});

/** The catalog file as its author writes it; optional fields have defaults. */
export const CatalogFileSchema = object({
  schema_version: Type.Literal(1, { description: "Version of this format." }),
  catalog_version: Type.String({
    ...VersionSchema,
    description: "Version of the catalog, which requests can name.",
  }),
  workflows: Type.Array(WorkflowSchema, {
    minItems: 1,
    maxItems: 50_000,
    description: "The workflows, in any order.",
  }),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Your own data; ignored by Sluice.",
      default: {},
    }),
  ),
});
export type CatalogFile = ReadonlyStatic<typeof CatalogFileSchema>;

export type WorkflowInputFile = ReadonlyStatic<typeof WorkflowInputSchema>;
export type WorkflowFile = ReadonlyStatic<typeof WorkflowSchema>;

/** An input with all defaults filled in. */
export interface ResolvableInput extends Required<Omit<WorkflowInputFile, "pattern">> {
  /** RE2 pattern, matched case-insensitively. The value is the group `value` or, without one, the whole match. */
  readonly pattern: string | null;
}

/** A workflow with all defaults filled in. */
export interface Workflow
  extends Required<Omit<WorkflowFile, "owner" | "negation" | "required_inputs" | "optional_inputs">>,
    Pick<WorkflowFile, "negation"> {
  /** Null if the file names none. */
  readonly owner: string | null;
  readonly required_inputs: readonly ResolvableInput[];
  readonly optional_inputs: readonly ResolvableInput[];
}

export interface Catalog extends Pick<CatalogFile, "catalog_version"> {
  /** SHA-256 of the bytes of the file: the identity of the catalog. */
  readonly sha256: Sha256;
  /** In file order; ids are unique. */
  readonly workflows: readonly Workflow[];
}

export const bareWorkflow: Omit<Workflow, "workflow_id" | "name" | "description"> = {
  version: "1.0.0",
  owner: null,
  status: "active",
  risk_tier: "low",
  side_effect: "read_only",
  confirmation: "never",
  capabilities: [],
  exclusions: [],
  examples: [],
  required_inputs: [],
  optional_inputs: [],
  event_types: [],
  metadata: {},
};
