import { unbounded } from "../domain/run-scope.js";
import { SluiceError } from "../errors/error.js";
import type { Matrix } from "../inference/protocol.js";
import { plainGraph } from "../inference/plain-graph.js";
import type { ModelHost } from "../inference/model-host.js";
import type { TableRetrieverModel } from "../domain/model.js";
import { type ModelFiles, modelFile } from "./model-files.js";
import { scaleToUnit } from "./term-index.js";
import { wordsOf } from "./words.js";

/** Words with the number of times that the training texts hold them, in row order. */
export interface Vocabulary {
  readonly words: readonly string[];
  readonly counts: readonly number[];
}

/** Words whose vectors one run of the graph gives. */
const wordsPerRun = 1024;

const linePattern = /^(\S+) ([1-9]\d{0,14})$/;

/** One line "word count" for each row. @param what  how the reader knows the file @throws {SluiceError} MODEL_INVALID naming the first line that is wrong */
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

/** An encoder of one layer: the vector of a text is the sum of the vectors of its words, scaled to length 1. */
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
   * Runs the graph over all rows, so that a request needs no model run; in blocks, so that it needs little memory.
   * @throws {SluiceError} MODEL_INVALID when files and dimensions disagree; MODEL_RUN_FAILED
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

  /** Vector of a text, length 1; zeros when no word of it is in the table. */
  vectorOf(text: string): Float32Array {
    const { rows, dimensions, places } = this;
    const sum = new Float32Array(dimensions);
    for (const word of wordsOf(text)) {
      const place = places.get(word);
      if (place === undefined) continue;
      const start = place * dimensions;
      for (let d = 0; d < dimensions; d += 1) sum[d] += rows[start + d];
    }
    scaleToUnit(sum);
    return sum;
  }
}

/** @throws {SluiceError} MODEL_INVALID */
function requireShape(vectors: Matrix, rows: number, dimensions: number): void {
  if (vectors.rows === rows && vectors.columns === dimensions) return;
  const expected = `${rows} vectors of ${dimensions} numbers`;
  const message = `retriever vectors: the graph gives ${vectors.rows} of ${vectors.columns}, expected ${expected}`;
  throw new SluiceError("MODEL_INVALID", message, { hint: "Restore both files from the same release." });
}
