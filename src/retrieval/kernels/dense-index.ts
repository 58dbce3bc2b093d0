import type { RunScope } from "../../domain/run-scope.js";
import { floatMatrix, onnxModel } from "../../inference/onnx-graph.js";
import { plainGraph } from "../../inference/plain-graph.js";
import type { LoadedModel, ModelHost } from "../../inference/model-host.js";
import type { WordVectors } from "../words/word-vectors.js";
import { sideBySide } from "./neighbours.js";
import { scaleToUnit } from "./term-index.js";

const nothing = new Float32Array();

/** Cosine of the summed word vectors of texts. */
export class DenseIndex {
  /** Vectors of the texts, length 1 or 0. */
  readonly texts: readonly Float32Array[];
  private readonly vectors: WordVectors;
  private readonly graph: LoadedModel;

  private constructor(vectors: WordVectors, texts: readonly Float32Array[], graph: LoadedModel) {
    this.vectors = vectors;
    this.texts = texts;
    this.graph = graph;
  }

  /** @param lemmas  of each text */
  static async create(
    lemmas: readonly (readonly string[])[],
    vectors: WordVectors,
    pool: ModelHost,
  ): Promise<DenseIndex> {
    const texts = lemmas.map((words) => summed(words, vectors));
    const model = onnxModel({
      name: "text_cosines",
      inputs: [floatMatrix("vectors", vectors.dimensions)],
      outputs: [floatMatrix("cosines", texts.length)],
      constants: [
        {
          name: "texts",
          dimensions: [vectors.dimensions, texts.length],
          values: sideBySide(texts, vectors.dimensions),
        },
      ],
      nodes: [{ operator: "MatMul", inputs: ["vectors", "texts"], outputs: ["cosines"] }],
    });
    return new DenseIndex(vectors, texts, await pool.load(plainGraph(model)));
  }

  /** Cosines of a new text with every text, shape (texts); all 0 when no word has a vector. */
  cosines(lemmas: readonly string[], scope: RunScope): Promise<Float32Array> {
    return this.run([summed(lemmas, this.vectors)], scope);
  }

  /** Cosines of texts of the index with every text, shape (rows, texts). */
  textCosines(rows: readonly number[], scope: RunScope): Promise<Float32Array> {
    return this.run(
      rows.map((row) => this.texts[row] ?? new Float32Array(this.vectors.dimensions)),
      scope,
    );
  }

  /** Cosine of two texts of the index. */
  cosine(text: number, other: number): number {
    const one = this.texts[text] ?? nothing;
    const two = this.texts[other] ?? nothing;
    let [even, odd] = [0, 0];
    for (let d = 0; d + 1 < one.length; d += 2) {
      even += one[d] * two[d];
      odd += one[d + 1] * two[d + 1];
    }
    const last = one.length - 1;
    return one.length % 2 === 0 ? even + odd : even + odd + one[last] * two[last];
  }

  private async run(vectors: readonly Float32Array[], scope: RunScope): Promise<Float32Array> {
    const columns = this.vectors.dimensions;
    const values = new Float32Array(vectors.length * columns);
    for (const [row, vector] of vectors.entries()) values.set(vector, row * columns);
    const matrix = { rows: vectors.length, columns, values };
    return (await this.graph.run({ kind: "matrix", matrix }, scope)).matrix.values;
  }
}

/** Sum of the vectors of the words, scaled to length 1. */
function summed(lemmas: readonly string[], vectors: WordVectors): Float32Array {
  const { rows, dimensions } = vectors;
  const sum = new Float32Array(dimensions);
  for (const lemma of lemmas) {
    const row = vectors.rowOf(lemma);
    if (row < 0) continue;
    const start = row * dimensions;
    for (let d = 0; d < dimensions; d += 1) sum[d] += rows[start + d];
  }
  scaleToUnit(sum);
  return sum;
}
