import { type Static, Type } from "typebox";
import type { Camel } from "./camel.js";
import { closed, CountSchema, VersionSchema } from "./primitives.js";

export const verifierLabels = ["mismatch", "needs_input", "executable"] as const;
export type VerifierLabel = (typeof verifierLabels)[number];

/** How the n-grams of two texts are compared. */
const ngrams = {
  /** Weight of word 1-2-grams; character n-grams get the rest. */
  word_weight: Type.Number({ minimum: 0, maximum: 1 }),
  char_min: Type.Integer({ minimum: 1, maximum: 8 }),
  char_max: Type.Integer({ minimum: 1, maximum: 8 }),
} as const;

const NgramSettingsSchema = Type.Object(ngrams, closed);

/** Version of the normaliser that the model was made for; descriptions before "words-2" do not name it. */
const normaliser = Type.Optional(VersionSchema);

const prefixes = Type.Object(
  { query: Type.String({ maxLength: 200 }), document: Type.String({ maxLength: 200 }) },
  closed,
);

/** A Hugging Face style export: paths are relative to the model directory. */
const transformer = {
  graph: Type.String({ minLength: 1 }),
  /** External weight files of the graph. */
  external_data: Type.Array(Type.String({ minLength: 1 })),
  tokenizer: Type.String({ minLength: 1 }),
  /** Tokens per row, special tokens included. */
  max_tokens: Type.Integer({ minimum: 8, maximum: 32_768 }),
  /** Name of the graph's output that is read. */
  output: Type.String({ minLength: 1 }),
  /**
   * `shared`: rows of different requests may share a run, because each row's numbers hardly depend on the others.
   * `alone`: they must not, as in graphs with dynamic quantisation.
   */
  batching: Type.Enum(["shared", "alone"]),
} as const;

/** Common fields of every model description. */
const head = {
  schema_version: Type.Literal(1),
  version: VersionSchema,
  capability: Type.Enum(["development", "production"]),
} as const;

const EncoderRetrieverSchema = Type.Object(
  {
    ...head,
    role: Type.Literal("retriever"),
    kind: Type.Literal("encoder"),
    /** Put before every text, byte for byte: a trailing space counts. */
    prefix: prefixes,
    ...transformer,
    dimensions: Type.Integer({ minimum: 1, maximum: 65_536 }),
    pooling: Type.Enum(["mean", "cls", "max", "last_token", "none"]),
    /** Vectors are scaled to length 1, so that scores are cosines. */
    normalise: Type.Boolean(),
    /** Share of the description's similarity in a score; the best example gets the rest. */
    description_weight: Type.Number({ minimum: 0, maximum: 1 }),
  },
  closed,
);

/** Shares of the three similarities of two texts; they are scaled to sum 1 over those that the model can compute. */
const KernelSettingsSchema = Type.Object(
  {
    ...ngrams,
    /** Word and character n-grams in common. */
    lexical: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
    /** Words in common after each word brought its nearest neighbours of the catalog along. */
    soft: Type.Number({ minimum: 0, maximum: 1 }),
    /** Cosine of the summed word vectors. */
    dense: Type.Number({ minimum: 0, maximum: 1 }),
    /** Maximum number of catalog neighbours per word, itself included. */
    neighbours: Type.Integer({ minimum: 1, maximum: 64 }),
    /** Cosine from which on a word is a neighbour. */
    neighbour_floor: Type.Number({ minimum: 0, maximum: 0.99 }),
    /** Minimum length, in letters, of an unknown word that is read as a known word one slip away; by default never. */
    corrected_from: Type.Optional(Type.Integer({ minimum: 3, maximum: 24 })),
  },
  closed,
);

const LocalRidgeSettingsSchema = Type.Object(
  {
    /** Kernel exp(gamma * (similarity - 1)) - exp(-gamma). */
    gamma: Type.Number({ exclusiveMinimum: 0 }),
    /** Ridge on the diagonal for the texts of the workflow itself. */
    own_ridge: Type.Number({ exclusiveMinimum: 0 }),
    /** Ridge on the diagonal for the texts of other workflows. */
    rival_ridge: Type.Number({ exclusiveMinimum: 0 }),
    /** Texts of other workflows that a workflow is set against: its nearest ones. */
    rivals: Type.Integer({ minimum: 0, maximum: 1024 }),
  },
  closed,
);

const WordKernelsRetrieverSchema = Type.Object(
  {
    ...head,
    role: Type.Literal("retriever"),
    kind: Type.Literal("word_kernels"),
    normaliser,
    prefix: prefixes,
    /** Files of the learned word vectors; null for a retriever without weights. */
    vectors: Type.Union([
      Type.Null(),
      Type.Object(
        {
          graph: Type.String({ minLength: 1 }),
          vocabulary: Type.String({ minLength: 1 }),
          dimensions: Type.Integer({ minimum: 1, maximum: 4096 }),
        },
        closed,
      ),
    ]),
    kernels: KernelSettingsSchema,
    /** Whether name and description are two texts of the index; by default one. */
    name_apart: Type.Optional(Type.Boolean()),
    head: LocalRidgeSettingsSchema,
  },
  closed,
);

/** Two model directories inside of the directory: an encoder and word kernels. */
const FusedRetrieverSchema = Type.Object(
  {
    ...head,
    role: Type.Literal("retriever"),
    kind: Type.Literal("fused"),
    /** Share of the encoder's score in a score; the word kernels' score gets the rest. */
    encoder_weight: Type.Number({ minimum: 0, maximum: 1 }),
    /** The requests of fold TUNE on which the weight was chosen. */
    fitted_on: Type.Object(
      {
        dataset_sha256: Type.String(),
        split_sha256: Type.String(),
        catalog_sha256: Type.String(),
        requests: CountSchema,
      },
      closed,
    ),
  },
  closed,
);

/** Folders of the two parts of a fused retriever, with their final slash. */
export const fusedFolders = { encoder: "encoder/", wordKernels: "word-kernels/" } as const;

/** One schema for each kind of retriever. */
export const retrieverSchemas = {
  encoder: EncoderRetrieverSchema,
  word_kernels: WordKernelsRetrieverSchema,
  fused: FusedRetrieverSchema,
} as const;

/** Meaning of each column of a verifier's output. */
export const verifierColumns = [
  ...verifierLabels,
  "entailment",
  "neutral",
  "contradiction",
  "not_entailment",
  "relevance",
] as const;
export type VerifierColumn = (typeof verifierColumns)[number];

const CrossEncoderSchema = Type.Object(
  {
    ...head,
    role: Type.Literal("verifier"),
    kind: Type.Literal("cross_encoder"),
    /** Put before the text and before the contract, byte for byte. */
    prefix: prefixes,
    ...transformer,
    /** Columns of the output in order: the three labels, an NLI order of two or three, or one relevance logit. */
    label_order: Type.Array(Type.Enum([...verifierColumns]), { minItems: 1, maxItems: 3 }),
  },
  closed,
);

const PairEvidenceSchema = Type.Object(
  {
    ...head,
    role: Type.Literal("verifier"),
    kind: Type.Literal("pair_evidence"),
    normaliser,
    /** Order of the columns of the graph's output. */
    label_order: Type.Array(Type.Enum([...verifierLabels]), { minItems: 3, maxItems: 3 }),
    /** Graph file, relative to the directory; input `evidence` [n, features], output `logits` [n, 3]. */
    graph: Type.String({ minLength: 1 }),
    /** Names of the evidence columns, in the order of the graph's input. */
    features: Type.Array(Type.String(), { minItems: 1 }),
    lexical: NgramSettingsSchema,
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

const KernelEvidenceSchema = Type.Object(
  {
    ...head,
    role: Type.Literal("verifier"),
    kind: Type.Literal("kernel_evidence"),
    normaliser,
    /** Order of the columns of the graph's output. */
    label_order: Type.Array(Type.Enum([...verifierLabels]), { minItems: 3, maxItems: 3 }),
    /** Graph file, relative to the directory; input `evidence` [n, features], output `logits` [n, 3]. */
    graph: Type.String({ minLength: 1 }),
    /** Names of the evidence columns, in the order of the graph's input. */
    features: Type.Array(Type.String(), { minItems: 1 }),
    fitted_on: Type.Object(
      {
        /** Catalogs with labelled requests, by name. */
        tasks: Type.Array(Type.Object({ name: Type.String(), requests: CountSchema }, closed)),
        pairs: CountSchema,
        seed: CountSchema,
      },
      closed,
    ),
  },
  closed,
);

/** One schema for each kind of verifier. */
export const verifierSchemas = {
  pair_evidence: PairEvidenceSchema,
  cross_encoder: CrossEncoderSchema,
  kernel_evidence: KernelEvidenceSchema,
} as const;

export type NgramSettings = Camel<Static<typeof NgramSettingsSchema>>;
export type PairEvidenceWire = Static<typeof PairEvidenceSchema>;
export type EncoderRetrieverWire = Static<typeof EncoderRetrieverSchema>;
export type CrossEncoderWire = Static<typeof CrossEncoderSchema>;
export type EncoderRetrieverModel = Camel<EncoderRetrieverWire>;
export type PairEvidenceModel = Camel<PairEvidenceWire>;
export type CrossEncoderModel = Camel<CrossEncoderWire>;
export type KernelSettings = Camel<Static<typeof KernelSettingsSchema>>;
export type LocalRidgeSettings = Camel<Static<typeof LocalRidgeSettingsSchema>>;
export type WordKernelsRetrieverWire = Static<typeof WordKernelsRetrieverSchema>;
export type WordKernelsRetrieverModel = Camel<WordKernelsRetrieverWire>;
export type KernelEvidenceWire = Static<typeof KernelEvidenceSchema>;
export type KernelEvidenceModel = Camel<KernelEvidenceWire>;
export type FusedRetrieverWire = Static<typeof FusedRetrieverSchema>;
/** With the descriptions of its parts, which stand in their folders, and the prefixes of its encoder. */
export type FusedRetrieverModel = Camel<FusedRetrieverWire> & {
  readonly prefix: EncoderRetrieverModel["prefix"];
  readonly encoder: EncoderRetrieverModel;
  readonly wordKernels: WordKernelsRetrieverModel;
};
export type RetrieverModel = EncoderRetrieverModel | WordKernelsRetrieverModel | FusedRetrieverModel;
export type VerifierModel = PairEvidenceModel | CrossEncoderModel | KernelEvidenceModel;
