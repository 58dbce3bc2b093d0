import { Type } from "../base/typebox.js";
import { activations, verifierColumns, verifierLabels } from "./choices.js";
import { object, CountSchema, type ReadonlyStatic, VersionSchema } from "./primitives.js";

/** Version of the text normaliser that the model was trained with. */
const normaliser = VersionSchema;

const prefixes = object({ query: Type.String({ maxLength: 200 }), document: Type.String({ maxLength: 200 }) });

/** A Hugging Face style export: paths are relative to the model directory. */
const transformer = {
  graph: Type.String({ minLength: 1 }),
  /** External weight files of the graph. */
  external_data: Type.Array(Type.String({ minLength: 1 })),
  tokenizer: Type.String({ minLength: 1 }),
  /** Maximum number of tokens per row, including special tokens. */
  max_tokens: Type.Integer({ minimum: 8, maximum: 32_768 }),
  /** Name of the graph output that is used. */
  output: Type.String({ minLength: 1 }),
} as const;

/** Common fields of every model description. */
const head = {
  schema_version: Type.Literal(1),
  version: VersionSchema,
  capability: Type.Enum(["development", "production"]),
} as const;

const LocalRidgeSettingsSchema = object({
  /** Parameter of the kernel exp(gamma * (similarity - 1)) - exp(-gamma). */
  gamma: Type.Number({ exclusiveMinimum: 0 }),
  /** Ridge on the diagonal for texts of the workflow itself. */
  own_ridge: Type.Number({ exclusiveMinimum: 0 }),
  /** Ridge on the diagonal for hard negatives. */
  negative_ridge: Type.Number({ exclusiveMinimum: 0 }),
  /** Number of hard negatives: the nearest texts of other workflows. */
  negatives: Type.Integer({ minimum: 0, maximum: 1024 }),
});

const SimilaritySettingsSchema = object({
  /** Weight of tf-idf in the similarity of a catalog with examples; the encoder's cosine has the remaining weight. */
  lexical: Type.Number({ minimum: 0, maximum: 1 }),
  /**
   * Mean number of examples at which tf-idf reaches its full weight; with fewer examples, the weight is
   * proportionally smaller.
   */
  examples: Type.Number({ minimum: 0, maximum: 100 }),
  /** Weight of words and word pairs in tf-idf; character n-grams have the remaining weight. */
  word_weight: Type.Number({ minimum: 0, maximum: 1 }),
  char_min: Type.Integer({ minimum: 1, maximum: 8 }),
  char_max: Type.Integer({ minimum: 1, maximum: 8 }),
  /**
   * Minimum length, in letters, of an unknown word that is corrected to a known word one edit away; null to disable.
   */
  corrected_from: Type.Union([Type.Null(), Type.Integer({ minimum: 3, maximum: 24 })]),
});

/** Logistic regression over sentence vectors. */
const DetectorSchema = object({
  bias: Type.Number(),
  weights: Type.Array(Type.Number(), { minItems: 1, maxItems: 65_536 }),
});
export type Detector = ReadonlyStatic<typeof DetectorSchema>;

/** Fields of every retriever: how texts are compared, and the head fitted on a catalog. */
const retriever = {
  ...head,
  role: Type.Literal("retriever"),
  normaliser,
  /** Prepended to every text exactly as written, including trailing spaces. */
  prefix: prefixes,
  similarity: SimilaritySettingsSchema,
  head: LocalRidgeSettingsSchema,
  /**
   * Recognises texts that only end a conversation, such as "thanks, that's all": those above 0. By default none is
   * recognised.
   */
  closing: Type.Optional(DetectorSchema),
  /** Recognises texts that state a wish of their own, among texts that follow another one. By default all are equal. */
  new_wish: Type.Optional(DetectorSchema),
} as const;

const EncoderRetrieverSchema = object({
  ...retriever,
  kind: Type.Literal("encoder"),
  ...transformer,
  dimensions: Type.Integer({ minimum: 1, maximum: 65_536 }),
  pooling: Type.Enum(["mean", "cls", "max", "last_token", "none"]),
  /** Whether vectors are scaled to length 1, so that scores are cosines. */
  normalise: Type.Boolean(),
});

/** An embedding bag: the sum of the vectors of a text's words. */
const TableRetrieverSchema = object({
  ...retriever,
  kind: Type.Literal("table"),
  /** Graph from word numbers to vectors, and the words in the same order. */
  graph: Type.String({ minLength: 1 }),
  vocabulary: Type.String({ minLength: 1 }),
  dimensions: Type.Integer({ minimum: 1, maximum: 4096 }),
});

/** tf-idf alone, without files. */
const LexicalRetrieverSchema = object({ ...retriever, kind: Type.Literal("lexical") });

export const retrieverSchemas = {
  encoder: EncoderRetrieverSchema,
  table: TableRetrieverSchema,
  lexical: LexicalRetrieverSchema,
} as const;

const CrossEncoderSchema = object({
  ...head,
  role: Type.Literal("verifier"),
  kind: Type.Literal("cross_encoder"),
  /** Prepended to the text and to the contract exactly as written. */
  prefix: prefixes,
  ...transformer,
  /** Output columns in order: the three labels, an NLI order of two or three, or a single relevance logit. */
  label_order: Type.Array(Type.Enum([...verifierColumns]), { minItems: 1, maxItems: 3 }),
  /** Activation that the graph applies. It is inverted, because calibration requires logits. */
  activation: Type.Enum([...activations]),
});

const LinearVerifierSchema = object({
  ...head,
  role: Type.Literal("verifier"),
  kind: Type.Literal("linear"),
  normaliser,
  /** Output columns of the graph, in order. */
  label_order: Type.Array(Type.Enum([...verifierLabels]), { minItems: 3, maxItems: 3 }),
  /** Graph file, relative to the directory; input `features` [n, features], output `logits` [n, 3]. */
  graph: Type.String({ minLength: 1 }),
  /** Graph of the same form for catalogs without examples; null: `graph` serves them, too. */
  graph_without_examples: Type.Union([Type.Null(), Type.String({ minLength: 1 })]),
  /** Names of the features, in the order of the graph's input. */
  features: Type.Array(Type.String(), { minItems: 1 }),
  /**
   * Version of the retriever whose similarities the verifier was fitted on; other retrievers have different scales.
   */
  retriever: VersionSchema,
  /**
   * Logistic regression over sentence vectors that distinguishes requests to search from requests to commit; null for
   * none.
   */
  commitment: Type.Union([Type.Null(), DetectorSchema]),
  fitted_on: object({
    /** Catalogs with labelled requests that the verifier was fitted on, by name. */
    tasks: Type.Array(object({ name: Type.String(), requests: CountSchema })),
    pairs: CountSchema,
    seed: CountSchema,
  }),
});

export const verifierSchemas = {
  cross_encoder: CrossEncoderSchema,
  linear: LinearVerifierSchema,
} as const;

export type EncoderRetrieverModel = ReadonlyStatic<typeof EncoderRetrieverSchema>;
export type TableRetrieverModel = ReadonlyStatic<typeof TableRetrieverSchema>;
export type LexicalRetrieverModel = ReadonlyStatic<typeof LexicalRetrieverSchema>;
export type CrossEncoderModel = ReadonlyStatic<typeof CrossEncoderSchema>;
export type LinearVerifierModel = ReadonlyStatic<typeof LinearVerifierSchema>;
export type LocalRidgeSettings = ReadonlyStatic<typeof LocalRidgeSettingsSchema>;
export type SimilaritySettings = ReadonlyStatic<typeof SimilaritySettingsSchema>;
export type RetrieverModel = EncoderRetrieverModel | TableRetrieverModel | LexicalRetrieverModel;
export type VerifierModel = CrossEncoderModel | LinearVerifierModel;
