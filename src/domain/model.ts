import { type Static, Type } from "typebox";
import type { Camel } from "./camel.js";
import { closed, CountSchema, VersionSchema } from "./primitives.js";

export const verifierLabels = ["mismatch", "needs_input", "executable"] as const;
export type VerifierLabel = (typeof verifierLabels)[number];

const LexicalSettingsSchema = Type.Object(
  {
    /** Weight of word 1-2-grams; character n-grams get the rest. */
    word_weight: Type.Number({ minimum: 0, maximum: 1 }),
    char_min: Type.Integer({ minimum: 1, maximum: 8 }),
    char_max: Type.Integer({ minimum: 1, maximum: 8 }),
    /** Kernel exp(gamma * (similarity - 1)). */
    gamma: Type.Number({ exclusiveMinimum: 0 }),
    /** Ridge added to the diagonal of the kernel matrix. */
    ridge: Type.Number({ exclusiveMinimum: 0 }),
  },
  closed,
);

const prefixes = Type.Object(
  { query: Type.String({ maxLength: 200 }), document: Type.String({ maxLength: 200 }) },
  closed,
);

export const RetrieverModelSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    role: Type.Literal("retriever"),
    kind: Type.Literal("lexical"),
    version: VersionSchema,
    capability: Type.Enum(["development", "production"]),
    prefix: prefixes,
    lexical: LexicalSettingsSchema,
  },
  closed,
);

export const VerifierModelSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    role: Type.Literal("verifier"),
    kind: Type.Literal("pair_evidence"),
    version: VersionSchema,
    capability: Type.Enum(["development", "production"]),
    /** Order of the columns of the graph's output. */
    label_order: Type.Array(Type.Enum([...verifierLabels]), { minItems: 3, maxItems: 3 }),
    /** Graph file, relative to the directory; input `evidence` [n, features], output `logits` [n, 3]. */
    graph: Type.String({ minLength: 1 }),
    /** Names of the evidence columns, in the order of the graph's input. */
    features: Type.Array(Type.String(), { minItems: 1 }),
    lexical: LexicalSettingsSchema,
    fitted_on: Type.Object(
      {
        dataset_sha256: Type.String(),
        split_sha256: Type.String(),
        catalog_sha256: Type.String(),
        requests: CountSchema,
        pairs: CountSchema,
        seed: CountSchema,
      },
      closed,
    ),
  },
  closed,
);

export type LexicalSettings = Camel<Static<typeof LexicalSettingsSchema>>;
export type RetrieverModelWire = Static<typeof RetrieverModelSchema>;
export type VerifierModelWire = Static<typeof VerifierModelSchema>;
export type RetrieverModel = Camel<RetrieverModelWire>;
export type VerifierModel = Camel<VerifierModelWire>;
