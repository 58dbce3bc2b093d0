import { type Pooling } from "../documents/choices.js";
import type { RetrieverModel, VerifierModel } from "../documents/model.js";
import type { TextToScore } from "../documents/text-scores.js";
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
  /** Paths as the graph names them, relative to its own folder. */
  readonly externalData: readonly { readonly path: string; readonly bytes: Uint8Array }[];
}

/** How texts become rows of a transformer graph. */
export interface TransformerFiles {
  readonly graph: GraphFiles;
  /** Bytes of `tokenizer.json`. */
  readonly tokenizer: Uint8Array;
  /** Tokens per row, special tokens included; longer rows are cut. */
  readonly maxTokens: number;
  /** Name of the graph's output. */
  readonly output: string;
}

/** An index whose lists lie in memory that threads share; what is in it is known to those who build scorers. */
export type BuiltIndex = object;

/** Everything that scores a text: both models over a catalog. Only a pool whose threads can build one accepts it. */
export interface ScorerSpec {
  readonly kind: "scorer";
  /** Lines of JSON, in memory that threads share. */
  readonly catalog: Uint8Array;
  /** What the first thread has built, for the others and for those that replace failed ones. */
  readonly built: BuiltIndex | null;
  readonly retriever: RetrieverModel;
  readonly verifier: VerifierModel;
  /** Files of the model directories by relative path; an encoder's own files are with the encoder. */
  readonly retrieverFiles: ReadonlyMap<string, Uint8Array>;
  readonly verifierFiles: ReadonlyMap<string, Uint8Array>;
  /** The encoder, loaded before, with its vectors of the catalog's texts; null for a retriever without one. */
  readonly encodedCatalog: {
    /** Its number. */
    readonly encoder: number;
    /** One for each text. */
    readonly vectors: RowsToShare;
    /** By similarity, the weights of each workflow's texts; null where the thread fits them. */
    readonly heads: Readonly<
      Record<
        "mixed" | "encoder" | "lexical",
        { readonly starts: Int32Array; readonly texts: Int32Array; readonly weights: Float32Array }
      >
    > | null;
  } | null;
}

/** Specification from which a thread builds a model. */
export type ModelSpec =
  | ScorerSpec
  | { readonly kind: "graph"; readonly graph: GraphFiles }
  | (TransformerFiles & { readonly kind: "encoder"; readonly pooling: Pooling; readonly normalise: boolean })
  | (TransformerFiles & {
      readonly kind: "pair_scorer";
      /** Second texts of all pairs; jobs name them by position. */
      readonly documents: readonly string[];
    });

/** The input of one job; its kind must fit the model's. */
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

/** Output of a model for rows. */
export interface RowsOutput {
  readonly kind: "rows";
  /** One row per input row, same order. */
  readonly matrix: Matrix;
  /** Input rows whose text was longer than the model reads. */
  readonly truncatedRows: number;
}

/** The scores of a text as a scorer sends them; what is in the numbers is known to those who build scorers. */
export interface PackedScores {
  readonly numbers: Float64Array;
  /** Shape (candidates, columns), row-major; null for a verifier that reads texts. */
  readonly evidence: Float32Array | null;
  /** Of the text; see `TextScores`. */
  readonly vector: Float32Array | null;
}

export type JobOutput = RowsOutput | { readonly kind: "scores"; readonly scores: PackedScores };

export type ToWorker =
  /** Cancels a running load. */
  | { readonly kind: "give_up"; readonly model: number }
  | { readonly kind: "load"; readonly model: number; readonly spec: ModelSpec }
  /** Releases a model that has no jobs. */
  | { readonly kind: "unload"; readonly model: number }
  | { readonly kind: "run"; readonly jobs: readonly Job[] }
  | { readonly kind: "stop" };

/** How far a load has come, in texts. */
export interface LoadProgress {
  readonly done: number;
  readonly total: number;
}

/** Outcome of one job. */
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
      /** null where the thread was given it, or the model has none. */
      readonly built: BuiltIndex | null;
    }
  | { readonly kind: "answered"; readonly answers: readonly JobAnswer[] };
