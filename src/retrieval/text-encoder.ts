import type { Workflow } from "../domain/catalog.js";
import type { EncoderRetrieverModel, RetrieverModel } from "../domain/model.js";
import { type RunScope, unbounded } from "../domain/run-scope.js";
import { SluiceError } from "../errors/error.js";
import type { LoadedModel, ModelHost } from "../inference/model-host.js";
import { SharedRows } from "../inference/shared-rows.js";
import { documentsOf } from "./catalog-texts.js";
import { MemoryEmbeddingCache } from "./embedding-cache.js";
import { embedTexts } from "./embed-texts.js";
import type { EncoderIdentity } from "./embedding-cache.js";
import { encoderIdentity } from "./encoder-identity.js";
import { wholeWords } from "../inference/tokenizer/whole-words.js";
import type { Heads } from "./head.js";
import type { ModelFiles } from "./model-files.js";
import { transformerFiles } from "./transformer-files.js";
import type { WarmUpOptions } from "./warm-up-options.js";
import { WordTable } from "./word-table.js";

/** Vector of one text. */
export interface EncodedText {
  /** Shape (dimensions). */
  readonly vector: Float32Array;
  /** true when the model read only the beginning of the text. */
  readonly truncated: boolean;
}

/** Turns texts into vectors, each text by itself. */
export interface TextEncoder {
  readonly dimensions: number;
  /** Words that the encoder knows, the frequent ones first: what a misspelt word may have meant. */
  readonly words: readonly string[];
  /** @throws {SluiceError} MODEL_RUN_FAILED, DEADLINE_EXCEEDED */
  encode(text: string, scope: RunScope): Promise<EncodedText>;
}

/** An encoder, and its vectors of the texts of a catalog. */
export interface EncodedTexts<Encoder extends TextEncoder = TextEncoder> {
  readonly encoder: Encoder;
  /** One for each text, in the order of `catalogTexts`. */
  readonly vectors: SharedRows;
  /** Heads that were fitted on them before; null to fit them. */
  readonly heads: Heads | null;
}

/** The transformer of a retriever in the threads of a host. */
export interface OpenTransformer {
  readonly model: EncoderRetrieverModel;
  readonly encoder: TransformerEncoder;
  readonly identity: EncoderIdentity;
}

const usualJobsInFlight = 2;

/** @throws {SluiceError} MODEL_INVALID, MODEL_RUN_FAILED */
export async function openTransformer(
  files: ModelFiles,
  model: EncoderRetrieverModel,
  host: ModelHost,
): Promise<OpenTransformer> {
  const source = transformerFiles(files, model, "retriever");
  const { dimensions, pooling, normalise } = model;
  const { tokenizer } = source;
  const loaded = await host.load({ kind: "encoder", ...source, pooling, normalise });
  const encoder = new TransformerEncoder({ dimensions, words: () => wholeWords(tokenizer), loaded });
  return { model, encoder, identity: encoderIdentity(model, source) };
}

/**
 * Encodes the texts of a catalog, one text a run.
 * @throws {SluiceError} MODEL_INVALID, CATALOG_INVALID, INTERRUPTED, MODEL_RUN_FAILED, BACKEND_OVERLOADED
 */
export async function encodeCatalog(
  { model, encoder, identity }: OpenTransformer,
  workflows: readonly Workflow[],
  options: WarmUpOptions = {},
): Promise<EncodedTexts<TransformerEncoder>> {
  if (workflows.length === 0) throw new SluiceError("CATALOG_INVALID", "the catalog has no active workflow to index");
  const texts = documentsOf(model, workflows);
  const found = await embedTexts(texts, {
    encoder: encoder.loaded,
    identity,
    jobsInFlight: options.jobsInFlight ?? usualJobsInFlight,
    cache: (await options.cache?.(identity)) ?? new MemoryEmbeddingCache(),
    onProgress: options.onProgress,
    signal: options.signal,
  });
  const { dimensions } = model;
  const vectors = SharedRows.ofSize(texts.length, dimensions);
  for (const [place, text] of texts.entries()) vectors.row(place).set(found.get(text) ?? []);
  return { encoder, vectors, heads: null };
}

/**
 * The encoder of a retriever; a transformer runs in the threads of the host. null for a retriever without an encoder.
 * @throws {SluiceError} MODEL_INVALID, MODEL_RUN_FAILED
 */
export async function loadTextEncoder(
  files: ModelFiles,
  model: RetrieverModel,
  host: ModelHost,
): Promise<TextEncoder | null> {
  switch (model.kind) {
    case "lexical":
      return null;
    case "table":
      return new TableEncoder(await WordTable.load(model, files, host));
    case "encoder":
      return (await openTransformer(files, model, host)).encoder;
  }
}

export interface TransformerParts {
  readonly dimensions: number;
  /** Read when they are needed: most threads never need them. */
  readonly words: () => readonly string[];
  readonly loaded: LoadedModel;
}

/** A transformer that a thread has loaded. */
export class TransformerEncoder implements TextEncoder {
  readonly dimensions: number;
  readonly loaded: LoadedModel;
  private readonly readWords: () => readonly string[];

  constructor({ dimensions, words, loaded }: TransformerParts) {
    this.dimensions = dimensions;
    this.loaded = loaded;
    this.readWords = words;
  }

  get words(): readonly string[] {
    return this.readWords();
  }

  async encode(text: string, scope: RunScope): Promise<EncodedText> {
    const { matrix, truncatedRows } = await this.loaded.run({ kind: "texts", texts: [text] }, scope);
    return { vector: matrix.values, truncated: truncatedRows > 0 };
  }
}

/** A word table in the calling thread. */
class TableEncoder implements TextEncoder {
  readonly dimensions: number;
  readonly words: readonly string[];
  private readonly table: WordTable;

  constructor(table: WordTable) {
    this.table = table;
    this.dimensions = table.dimensions;
    this.words = table.words;
  }

  encode(text: string): Promise<EncodedText> {
    return Promise.resolve({ vector: this.table.vectorOf(text), truncated: false });
  }
}

/** Vectors of the texts of a catalog, one after another, in the order of `catalogTexts`. */
export async function catalogVectors(
  encoder: TextEncoder,
  model: RetrieverModel,
  workflows: readonly Workflow[],
): Promise<SharedRows> {
  const texts = documentsOf(model, workflows);
  const vectors = SharedRows.ofSize(texts.length, encoder.dimensions);
  for (const [place, text] of texts.entries()) vectors.row(place).set((await encoder.encode(text, unbounded)).vector);
  return vectors;
}
