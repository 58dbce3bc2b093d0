import { type Pooling } from "../documents/choices.js";
import type { RetrieverModel, VerifierModel } from "../documents/model.js";
import type { EncodedText, TextToScore } from "../documents/text-scores.js";
import type { PlainError } from "../base/transport.js";
import type { RowsToShare } from "./shared-rows.js";

/** A float32 matrix, row-major. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

/** An ONNX graph and its external weight files, with the verified bytes. */
export interface GraphFiles {
  readonly bytes: Uint8Array;
  /** Paths as written in the graph, relative to the graph's folder. */
  readonly externalData: readonly { readonly path: string; readonly bytes: Uint8Array }[];
}

/** How texts are converted to rows of a transformer graph. */
export interface TransformerFiles {
  readonly graph: GraphFiles;
  readonly tokenizer: Uint8Array;
  /** Maximum number of tokens per row, including special tokens; longer rows are truncated. */
  readonly maxTokens: number;
  /** Name of the graph output to read. */
  readonly output: string;
}

/** An index whose lists lie in memory shared by the threads; only code that builds scorers knows its structure. */
export type BuiltIndex = object;

/**
 * Everything needed to score a text: both models and a catalog. Only pools whose threads can build a scorer accept it.
 */
export interface ScorerSpec {
  readonly kind: "scorer";
  /** Lines of JSON, in memory shared by the threads. */
  readonly catalog: Uint8Array;
  /**
   * The index built by the first thread, for the other threads and for replacements of failed ones; null for the first
   * thread.
   */
  readonly built: BuiltIndex | null;
  readonly retriever: RetrieverModel;
  readonly verifier: VerifierModel;
  /** Files of the model directories by relative path; the encoder has its own files. */
  readonly retrieverFiles: ReadonlyMap<string, Uint8Array>;
  readonly verifierFiles: ReadonlyMap<string, Uint8Array>;
  /** The encoder, which is already loaded, and its vectors of the catalog's texts; null for a retriever without one. */
  readonly encodedCatalog: {
    /** Number of the encoder among the models of the pool. */
    readonly encoder: number;
    readonly vectors: RowsToShare;
    /** Weights of each workflow's texts, per similarity; null if the thread fits them. */
    readonly heads: Readonly<
      Record<
        "mixed" | "encoder" | "lexical",
        { readonly starts: Int32Array; readonly texts: Int32Array; readonly weights: Float32Array }
      >
    > | null;
  } | null;
}

/** What a thread builds a model from. */
export type ModelSpec =
  | ScorerSpec
  | { readonly kind: "graph"; readonly graph: GraphFiles }
  | (TransformerFiles & { readonly kind: "encoder"; readonly pooling: Pooling; readonly normalise: boolean })
  | (TransformerFiles & {
      readonly kind: "pair_scorer";
      /** The second text of every pair; jobs refer to it by position. */
      readonly documents: readonly string[];
    });

/** Input of one job; its kind must match the model's. */
export type JobInput =
  | { readonly kind: "matrix"; readonly matrix: Matrix }
  | { readonly kind: "texts"; readonly texts: readonly string[] }
  | { readonly kind: "pairs"; readonly text: string; readonly documents: readonly number[] }
  | { readonly kind: "request"; readonly request: TextToScore };

export interface Job {
  readonly id: number;
  readonly model: number;
  readonly input: JobInput;
}

export interface RowsOutput {
  readonly kind: "rows";
  /** One row per input row, in the same order. */
  readonly matrix: Matrix;
  /** Number of input rows whose text exceeded what the model can read. */
  readonly truncatedRows: number;
}

/** The scores of a text in packed form; only code that builds scorers knows its structure. */
export interface PackedScores {
  readonly numbers: Float64Array;
  /** Shape (candidates, columns), row-major; null for a verifier that reads texts. */
  readonly features: Float32Array | null;
  /** For the caller's cache; see `TextScores`. */
  readonly encoded: EncodedText | null;
}

/** The scores of a text, or the text that the caller has to look up first; see `TextToScore`. */
export type ScorerOutput =
  | { readonly kind: "scores"; readonly scores: PackedScores }
  | { readonly kind: "look_up"; readonly text: string };

export type JobOutput = RowsOutput | ScorerOutput;

export type ToWorker =
  | { readonly kind: "give_up"; readonly model: number }
  | { readonly kind: "load"; readonly model: number; readonly spec: ModelSpec }
  | { readonly kind: "unload"; readonly model: number }
  | { readonly kind: "run"; readonly jobs: readonly Job[] }
  | { readonly kind: "stop" };

/** Progress of a load, in texts. */
export interface LoadProgress {
  readonly done: number;
  readonly total: number;
}

export type JobAnswer =
  | { readonly id: number; readonly output: JobOutput }
  | { readonly id: number; readonly error: PlainError };

export type FromWorker =
  /** Heartbeat of a loading thread, so that a long load is not mistaken for a stuck thread. */
  | { readonly kind: "loading"; readonly model: number; readonly progress: LoadProgress | null }
  | {
      readonly kind: "loaded";
      readonly model: number;
      readonly error: PlainError | null;
      /** null if the thread was given the index, or if the model has none. */
      readonly built: BuiltIndex | null;
    }
  | { readonly kind: "answered"; readonly answers: readonly JobAnswer[] };
