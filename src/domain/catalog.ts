import { type Static, Type } from "typebox";
import type { Sha256 } from "../digest/sha256.js";
import { closed, VersionSchema, WorkflowIdSchema, type WorkflowId } from "./primitives.js";

/** Rising risk. Thresholds never fall along this order. */
export const riskTiers = ["low", "medium", "high", "critical"] as const;
export type RiskTier = (typeof riskTiers)[number];

export const sideEffects = ["read_only", "internal_write", "external_write", "destructive"] as const;
export const workflowStatuses = ["active", "disabled", "deprecated"] as const;

const text = (minLength: number, maxLength: number) => Type.String({ minLength, maxLength });

export const WorkflowInputSchema = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z][a-z0-9_]{0,79}$" }),
    description: Type.Optional(Type.String({ maxLength: 500 })),
    aliases: Type.Optional(Type.Array(text(1, 80), { maxItems: 20 })),
    pattern: Type.Optional(text(1, 500)),
  },
  closed,
);

export const WorkflowSchema = Type.Object(
  {
    workflow_id: WorkflowIdSchema,
    version: text(1, 40),
    name: text(3, 160),
    description: text(10, 2000),
    owner: Type.Optional(text(1, 160)),
    status: Type.Optional(Type.Enum([...workflowStatuses])),
    risk_tier: Type.Enum([...riskTiers]),
    side_effect: Type.Enum([...sideEffects]),
    confirmation: Type.Optional(text(3, 100)),
    capabilities: Type.Optional(Type.Array(text(1, 300), { maxItems: 30 })),
    exclusions: Type.Optional(Type.Array(text(1, 300), { maxItems: 30 })),
    examples: Type.Optional(Type.Array(text(1, 1000), { maxItems: 50 })),
    required_inputs: Type.Optional(Type.Array(WorkflowInputSchema, { maxItems: 30 })),
    optional_inputs: Type.Optional(Type.Array(WorkflowInputSchema, { maxItems: 30 })),
    event_types: Type.Optional(Type.Array(text(1, 160), { maxItems: 30 })),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);

/** The catalog file as written by its author; optional fields have defaults. */
export const CatalogFileSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    catalog_version: VersionSchema,
    workflows: Type.Array(WorkflowSchema, { minItems: 1, maxItems: 50_000 }),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);
export type CatalogFile = Static<typeof CatalogFileSchema>;

/** One workflow with every default filled in. `owner` is null when the file names none. */
export interface Workflow {
  readonly workflowId: WorkflowId;
  readonly version: string;
  readonly name: string;
  readonly description: string;
  readonly owner: string | null;
  readonly status: (typeof workflowStatuses)[number];
  readonly riskTier: RiskTier;
  readonly sideEffect: (typeof sideEffects)[number];
  /** "never", or a policy word that tells the caller when to ask its user. */
  readonly confirmation: string;
  readonly capabilities: readonly string[];
  readonly exclusions: readonly string[];
  readonly examples: readonly string[];
  readonly requiredInputs: readonly ResolvableInput[];
  readonly optionalInputs: readonly ResolvableInput[];
  readonly eventTypes: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface ResolvableInput {
  readonly name: string;
  readonly description: string;
  readonly aliases: readonly string[];
  /** RE2 pattern, matched case-insensitively; the value is group `value` or the whole match. */
  readonly pattern: string | null;
}

export interface Catalog {
  readonly catalogVersion: string;
  /** SHA-256 of the bytes of the file: the identity of the catalog. */
  readonly sha256: Sha256;
  /** In file order; ids are unique. */
  readonly workflows: readonly Workflow[];
}
