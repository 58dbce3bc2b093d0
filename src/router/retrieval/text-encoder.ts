import type { Workflow } from "../../documents/catalog.js";
import type { EncoderRetrieverModel, RetrieverModel, TableRetrieverModel } from "../../documents/model.js";
import { type RunScope, unbounded } from "../../documents/run-scope.js";
import type { EncodedText } from "../../documents/text-scores.js";
import { SluiceError } from "../../base/error.js";
import type { LoadedModel, ModelHost } from "../../inference/models/local-models.js";
import { SharedRows } from "../../inference/shared-rows.js";
import { documentsOf } from "./catalog-texts.js";
import {
  MemoryEmbeddingCache,
  type EncoderIdentity,
  type EmbeddingCache,
  cacheText,
  cachedText,
  requireSameVector,
} from "./embedding-cache.js";
import { wholeWords } from "../../inference/tokenizer/text-tokenizer.js";
import type { Heads } from "./head.js";
import { type ModelFiles, modelFile, transformerFiles } from "./model-files.js";
import type { WarmUpOptions } from "./warm-up-options.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { sha256Hex } from "../../base/sha256.js";
import type { TransformerFiles, Matrix } from "../../inference/protocol.js";
import { onnxRuntimeVersion } from "../../inference/models/open-session.js";
import { plainGraph } from "../../inference/onnx-graph.js";
import { scaleToUnit } from "./term-index.js";
import { wordsOf } from "./words.js";

/** Encodes texts as vectors, independently of each other. */
export interface TextEncoder {
  readonly dimensions: number;
  /** Words that the encoder knows, most frequent first; candidates for correcting misspelt words. */
  readonly words: readonly string[];
  /**
   * @param words  words of the text, if the caller has them
   * @throws {SluiceError} MODEL_RUN_FAILED, DEADLINE_EXCEEDED
   */
  encode(text: string, scope: RunScope, words?: readonly string[] | null): Promise<EncodedText>;
}

export interface EncodedTexts<Encoder extends TextEncoder = TextEncoder> {
  readonly encoder: Encoder;
  /** One vector per text, in the order of `catalogTexts`. */
  readonly vectors: SharedRows;
  /** Heads already fitted on the vectors; null to fit them. */
  readonly heads: Heads | null;
}

/** A retriever's transformer, loaded into the threads of a host. */
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
 * Encodes the texts of a catalog, one text per run.
 * @throws {SluiceError} MODEL_INVALID, CATALOG_INVALID, INTERRUPTED, MODEL_RUN_FAILED, SERVER_OVERLOADED
 */
export async function encodeCatalog(
  transformer: OpenTransformer,
  workflows: readonly Workflow[],
  options: WarmUpOptions = {},
): Promise<EncodedTexts<TransformerEncoder>> {
  if (workflows.length === 0) throw new SluiceError("CATALOG_INVALID", "the catalog has no active workflow to index");
  const { model, encoder } = transformer;
  const texts = documentsOf(model, workflows);
  const found = await embedTexts(texts, await embedding(transformer, options));
  const { dimensions } = model;
  const vectors = SharedRows.ofSize(texts.length, dimensions);
  for (const [place, text] of texts.entries()) vectors.row(place).set(found.get(text) ?? []);
  return { encoder, vectors, heads: null };
}

/**
 * Loads the encoder of a retriever; a transformer runs in the threads of the host. Returns null for a retriever without
 * an encoder.
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
  /** Computed on demand, because most threads never need them. */
  readonly words: () => readonly string[];
  readonly loaded: LoadedModel;
}

export class TransformerEncoder implements TextEncoder {
  readonly dimensions: number;
  readonly loaded: LoadedModel;
  readonly running = new Map<string, Promise<EncodedText>>();
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

/**
 * Encodes texts as requests, and returns the vectors by unmodified text.
 * @throws {SluiceError} MODEL_INVALID, INTERRUPTED, MODEL_RUN_FAILED, SERVER_OVERLOADED
 */
export async function encodeRequests(
  transformer: OpenTransformer,
  texts: readonly string[],
  options: WarmUpOptions = {},
): Promise<ReadonlyMap<string, Float32Array>> {
  const { query } = transformer.model.prefix;
  const read = texts.map((text) => query + text);
  const vectors = await embedTexts(read, await embedding(transformer, options));
  return new Map(texts.map((text) => [text, vectors.get(query + text) ?? new Float32Array(0)]));
}

/** A word table that runs in the calling thread. */
class TableEncoder implements TextEncoder {
  readonly dimensions: number;
  readonly words: readonly string[];
  private readonly table: WordTable;

  constructor(table: WordTable) {
    this.table = table;
    this.dimensions = table.dimensions;
    this.words = table.words;
  }

  encode(text: string, _: RunScope, words: readonly string[] | null = null): Promise<EncodedText> {
    return Promise.resolve({ vector: this.table.vectorOf(words ?? wordsOf(text)), truncated: false });
  }
}

/** The vectors of a catalog's texts, concatenated in the order of `catalogTexts`. */
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

/**
 * Everything that the vectors of a model depend on, except prefixes, which belong to the texts, and score weights,
 * which are applied to the vectors later.
 */
function encoderIdentity(model: EncoderRetrieverModel, files: TransformerFiles): EncoderIdentity {
  const { dimensions, pooling, normalise } = model;
  const sha256 = sha256Hex(
    canonicalJson({
      graph: sha256Hex(files.graph.bytes),
      external_data: files.graph.externalData.map(({ path, bytes }) => [path, sha256Hex(bytes)]),
      tokenizer: sha256Hex(files.tokenizer),
      max_tokens: files.maxTokens,
      output: files.output,
      dimensions,
      pooling,
      normalise,
      onnxruntime: onnxRuntimeVersion(),
    }),
  );
  return { sha256, dimensions };
}

interface EmbedOptions {
  readonly encoder: TransformerEncoder;
  readonly identity: EncoderIdentity;
  /** Number of concurrent jobs, integer >= 1. */
  readonly jobsInFlight: number;
  readonly cache: EmbeddingCache;
  /** Called with the number of distinct texts encoded so far, and the total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Stops after the running jobs when aborted. */
  readonly signal?: AbortSignal | undefined;
}

const embedding = async (
  { encoder, identity }: OpenTransformer,
  { jobsInFlight = usualJobsInFlight, cache, onProgress, signal }: WarmUpOptions,
): Promise<EmbedOptions> => ({
  encoder,
  identity,
  jobsInFlight,
  cache: (await cache?.(identity)) ?? new MemoryEmbeddingCache(),
  onProgress,
  signal,
});

/**
 * Returns the vectors of texts, and encodes those that are not in the cache. Texts are processed in a fixed order, so
 * that the vectors do not depend on the given order. Vectors encoded before a failure stay in the cache.
 * @returns one vector per distinct text
 * @throws {SluiceError} MODEL_INVALID if the length of the vectors differs from the description, MODEL_RUN_FAILED,
 *   SERVER_OVERLOADED, INTERRUPTED, WRITE_FAILED; HASH_MISMATCH if a cached vector is not the encoder's
 */
async function embedTexts(texts: readonly string[], options: EmbedOptions): Promise<ReadonlyMap<string, Float32Array>> {
  const { cache, identity, onProgress, signal } = options;
  const distinct = new Set(texts);
  const vectors = new Map<string, Float32Array>();
  const textOf = new Map<string, string>();
  for (const text of distinct) {
    const known = cachedText(cache, identity, text);
    if (known === null) continue;
    vectors.set(text, known.encoded.vector);
    textOf.set(known.key, text);
  }
  for (const text of cache.toCheck([...textOf.keys()]).flatMap((key) => textOf.get(key) ?? [])) {
    const { vector } = await encode(text, options);
    requireSameVector(cache, vectors.get(text) ?? vector, vector);
  }
  const known = vectors.size;
  if (known < distinct.size) onProgress?.(known, distinct.size);

  const missing = [...distinct]
    .filter((text) => !vectors.has(text))
    .sort(byLength)
    .values();
  const encodeNext = async (): Promise<void> => {
    for (const text of missing) {
      if (signal?.aborted === true) throw interrupted(vectors.size, distinct.size);
      // Another catalog that is indexed at the same time may have encoded it meanwhile.
      const encoded = cachedText(cache, identity, text)?.encoded ?? (await encodedOnce(text, options));
      vectors.set(text, encoded.vector);
      cacheText(cache, identity, text, encoded);
      onProgress?.(vectors.size, distinct.size);
    }
  };
  const loops = await Promise.allSettled(Array.from({ length: options.jobsInFlight }, encodeNext));
  if (vectors.size > known) await cache.save();
  for (const loop of loops) if (loop.status === "rejected") throw loop.reason;
  return vectors;
}

const byLength = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

/** Encodes a text, or waits for the run that is encoding it. */
function encodedOnce(text: string, options: EmbedOptions): Promise<EncodedText> {
  const { running } = options.encoder;
  const known = running.get(text);
  if (known !== undefined) return known;
  const run = encode(text, options).finally(() => running.delete(text));
  running.set(text, run);
  return run;
}

async function encode(text: string, { encoder, identity }: EmbedOptions): Promise<EncodedText> {
  const encoded = await encoder.encode(text, unbounded);
  const { length } = encoded.vector;
  if (length === identity.dimensions) return encoded;
  const found = `vectors of ${length} numbers, expected ${identity.dimensions} of its description`;
  throw new SluiceError("MODEL_INVALID", `the encoder returned ${found}`, {
    hint: `Set "dimensions" to ${length} in router_model.json.`,
  });
}

const interrupted = (done: number, total: number): SluiceError =>
  new SluiceError("INTERRUPTED", `the warm-up stopped after ${done} of ${total} texts`, {
    hint: "Run the same command again; with a cache it continues where it stopped.",
    details: { done, total },
  });

/** Words with their number of occurrences in the training texts, in row order. */
interface Vocabulary {
  readonly words: readonly string[];
  readonly counts: readonly number[];
}

/** Number of words whose vectors one run of the graph returns. */
const wordsPerRun = 1024;

const linePattern = /^(\S+) ([1-9]\d{0,14})$/;

/**
 * Parses a vocabulary, which has one line "word count" per row. @param what  name of the file in messages @throws
 * {SluiceError} MODEL_INVALID names the first faulty line
 */
export function parseVocabulary(bytes: Buffer, what: string): Vocabulary {
  const lines = bytes.toString("utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  const countOf = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const [, word, count] = linePattern.exec(line) ?? [];
    if (word === undefined || countOf.has(word)) {
      throw new SluiceError("MODEL_INVALID", `${what}: line ${index + 1} is not a new word and its count`, {
        hint: "Restore the file from the release that the model came from.",
      });
    }
    countOf.set(word, Number(count));
  }
  return { words: [...countOf.keys()], counts: [...countOf.values()] };
}

/** An encoder with one layer: the vector of a text is the sum of its words' vectors, scaled to length 1. */
export class WordTable {
  readonly dimensions: number;
  readonly words: readonly string[];
  private readonly rows: Float32Array;
  private readonly places: ReadonlyMap<string, number>;

  /** @param rows  shape (words, dimensions), row-major */
  constructor(words: readonly string[], rows: Float32Array, dimensions: number) {
    this.words = words;
    this.rows = rows;
    this.dimensions = dimensions;
    this.places = new Map(words.map((word, place) => [word, place]));
  }

  /**
   * Runs the graph over all rows once, so that requests need no model run. Works in blocks to save memory.
   * @throws {SluiceError} MODEL_INVALID if files and dimensions disagree; MODEL_RUN_FAILED
   */
  static async load(model: TableRetrieverModel, files: ModelFiles, host: ModelHost): Promise<WordTable> {
    const { words } = parseVocabulary(modelFile(files, model.vocabulary, "retriever"), "retriever vocabulary");
    const graph = await host.load(plainGraph(modelFile(files, model.graph, "retriever")));
    const rows = new Float32Array(words.length * model.dimensions);
    for (let from = 0; from < words.length; from += wordsPerRun) {
      const count = Math.min(wordsPerRun, words.length - from);
      const values = Float32Array.from({ length: count }, (_, place) => from + place);
      const { matrix } = await graph.run({ kind: "matrix", matrix: { rows: count, columns: 1, values } }, unbounded);
      requireShape(matrix, count, model.dimensions);
      rows.set(matrix.values, from * model.dimensions);
    }
    return new WordTable(words, rows, model.dimensions);
  }

  /**
   * Vector of a text, length 1; all zeros if the table contains none of its words. @param words  words of the text, in
   * order
   */
  vectorOf(words: readonly string[]): Float32Array {
    const { rows, dimensions, places } = this;
    const sum = new Float32Array(dimensions);
    for (const word of words) {
      const place = places.get(word);
      if (place === undefined) continue;
      const start = place * dimensions;
      for (let d = 0; d < dimensions; d += 1) sum[d] += rows[start + d];
    }
    scaleToUnit(sum);
    return sum;
  }
}

function requireShape(vectors: Matrix, rows: number, dimensions: number): void {
  if (vectors.rows === rows && vectors.columns === dimensions) return;
  const expected = `${rows} vectors of ${dimensions} numbers`;
  const message = `retriever vectors: the graph gives ${vectors.rows} of ${vectors.columns}, expected ${expected}`;
  throw new SluiceError("MODEL_INVALID", message, { hint: "Restore both files from the same release." });
}
