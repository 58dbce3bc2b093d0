import { unbounded } from "../../domain/run-scope.js";
import { SluiceError } from "../../errors/error.js";
import { plainGraph } from "../../inference/plain-graph.js";
import type { ModelHost } from "../../inference/model-host.js";
import { parseVocabulary } from "./vocabulary.js";
import type { WordVectors } from "./word-vectors.js";

/** The files of a model directory that hold its word vectors. */
export interface WordVectorFiles {
  /** See `vectorsGraph`. */
  readonly graph: Uint8Array;
  /** See `vocabularyBytes`. */
  readonly vocabulary: Buffer;
  readonly dimensions: number;
}

/**
 * Runs the graph once over all rows, so that a request needs no model run.
 * @throws {SluiceError} MODEL_INVALID when files and dimensions disagree; MODEL_RUN_FAILED
 */
export async function loadWordVectors(files: WordVectorFiles, pool: ModelHost): Promise<WordVectors> {
  const { lemmas, counts } = parseVocabulary(files.vocabulary, "retriever vocabulary");
  const model = await pool.load(plainGraph(files.graph));
  const ids = Float32Array.from(lemmas.keys());
  const matrix = { rows: ids.length, columns: 1, values: ids };
  const { matrix: vectors } = await model.run({ kind: "matrix", matrix }, unbounded);
  if (vectors.rows !== lemmas.length || vectors.columns !== files.dimensions) {
    const expected = `${lemmas.length} vectors of ${files.dimensions} numbers`;
    const message = `retriever vectors: the graph gives ${vectors.rows} of ${vectors.columns}, expected ${expected}`;
    throw new SluiceError("MODEL_INVALID", message, { hint: "Restore both files from the same fit." });
  }
  return wordVectors({ lemmas, counts }, vectors.values, files.dimensions);
}

/** @param rows  shape (lemmas, dimensions), row-major */
export function wordVectors(
  vocabulary: { readonly lemmas: readonly string[]; readonly counts: readonly number[] },
  rows: Float32Array,
  dimensions: number,
): WordVectors {
  const positions = new Map(vocabulary.lemmas.map((lemma, row) => [lemma, row]));
  const total = vocabulary.counts.reduce((sum, count) => sum + count, 0);
  return {
    dimensions,
    size: vocabulary.lemmas.length,
    lemmas: vocabulary.lemmas,
    rowOf: (lemma) => positions.get(lemma) ?? -1,
    rows,
    frequency: Float32Array.from(vocabulary.counts, (count) => count / total),
  };
}
