import { floatMatrix, type Graph, onnxModel } from "../../inference/onnx-graph.js";
import { plainGraph } from "../../inference/plain-graph.js";
import type { LoadedModel, ModelHost } from "../../inference/model-host.js";
import type { RunScope } from "../../domain/run-scope.js";
import type { WordVectors } from "../words/word-vectors.js";
import type { SparseRow } from "./sparse-rows.js";

const floatType = 1;

/** Unit vectors [n, dimensions] -> cosines of the nearest columns, then their numbers: [n, 2 * count]. */
function nearestGraph(columns: Float32Array, dimensions: number, count: number): Graph {
  return {
    name: "nearest_words",
    inputs: [floatMatrix("vectors", dimensions)],
    outputs: [floatMatrix("nearest", 2 * count)],
    constants: [
      { name: "columns", dimensions: [dimensions, columns.length / dimensions], values: columns },
      { name: "count", dimensions: [1], values: BigInt64Array.of(BigInt(count)) },
    ],
    nodes: [
      { operator: "MatMul", inputs: ["vectors", "columns"], outputs: ["cosines"] },
      { operator: "TopK", inputs: ["cosines", "count"], outputs: ["values", "indices"] },
      {
        operator: "Cast",
        inputs: ["indices"],
        outputs: ["numbers"],
        attributes: [{ name: "to", int: floatType }],
      },
      {
        operator: "Concat",
        inputs: ["values", "numbers"],
        outputs: ["nearest"],
        attributes: [{ name: "axis", int: 1 }],
      },
    ],
  };
}

/** The vector of a lemma scaled to length 1; null for a lemma without one. */
export function unitVector(vectors: WordVectors, lemma: string): Float32Array | null {
  const row = vectors.rowOf(lemma);
  if (row < 0) return null;
  const vector = vectors.rows.subarray(row * vectors.dimensions, (row + 1) * vectors.dimensions);
  const length = Math.hypot(...vector);
  return length === 0 ? null : vector.map((value) => value / length);
}

/** Columns of unit vectors side by side, shape (dimensions, vectors), row-major. */
export function sideBySide(vectors: readonly Float32Array[], dimensions: number): Float32Array {
  const columns = new Float32Array(vectors.length * dimensions);
  for (const [column, vector] of vectors.entries()) {
    for (let d = 0; d < dimensions; d += 1) columns[d * vectors.length + column] = vector[d];
  }
  return columns;
}

export interface NeighbourSettings {
  /** Neighbours at most, the word itself included. */
  readonly neighbours: number;
  readonly neighbourFloor: number;
}

/**
 * The words of a vocabulary that are nearest to a word: weight 1 for the word itself, (cosine - floor) / (1 - floor)
 * for its neighbours.
 */
export class Neighbours {
  private readonly settings: NeighbourSettings;
  /** Places in the vocabulary of the words that have a vector. */
  private readonly withVector: Int32Array;
  private readonly graph: LoadedModel;
  private readonly count: number;

  private constructor(
    settings: NeighbourSettings,
    withVector: Int32Array,
    found: { readonly graph: LoadedModel; readonly count: number },
  ) {
    this.settings = settings;
    this.withVector = withVector;
    this.graph = found.graph;
    this.count = found.count;
  }

  /** null when no word of the vocabulary has a vector. */
  static async of(
    vocabulary: readonly string[],
    vectors: WordVectors,
    settings: NeighbourSettings,
    pool: ModelHost,
  ): Promise<Neighbours | null> {
    const places: number[] = [];
    const units: Float32Array[] = [];
    for (const [place, lemma] of vocabulary.entries()) {
      const unit = unitVector(vectors, lemma);
      if (unit === null) continue;
      places.push(place);
      units.push(unit);
    }
    if (units.length === 0) return null;
    const count = Math.min(settings.neighbours, units.length);
    const graph = nearestGraph(sideBySide(units, vectors.dimensions), vectors.dimensions, count);
    const loaded = await pool.load(plainGraph(onnxModel(graph)));
    return new Neighbours(settings, Int32Array.from(places), { graph: loaded, count });
  }

  /**
   * @param units  vectors of length 1
   * @param own  place of each word in the vocabulary, -1 for none
   * @returns weights by place in the vocabulary, one row for each word
   */
  async find(units: readonly Float32Array[], own: readonly number[], scope: RunScope): Promise<readonly SparseRow[]> {
    const columns = units[0]?.length ?? 0;
    const values = new Float32Array(units.length * columns);
    for (const [row, unit] of units.entries()) values.set(unit, row * columns);
    const matrix = { rows: units.length, columns, values };
    const output = await this.graph.run({ kind: "matrix", matrix }, scope);
    return units.map((_, row) => {
      const found = output.matrix.values.subarray(row * 2 * this.count, (row + 1) * 2 * this.count);
      return this.weighted(found, own[row] ?? -1);
    });
  }

  private weighted(found: Float32Array, own: number): SparseRow {
    const { neighbourFloor } = this.settings;
    const weights = new Map<number, number>();
    if (own >= 0) weights.set(own, 1);
    for (let i = 0; i < this.count && weights.size < this.settings.neighbours; i += 1) {
      const weight = (found[i] - neighbourFloor) / (1 - neighbourFloor);
      const place = this.withVector[found[this.count + i]];
      if (weight > 0 && place !== own) weights.set(place, weight);
    }
    const terms = Int32Array.from(weights.keys()).sort();
    return { terms, weights: Float32Array.from(terms, (term) => weights.get(term) ?? 0) };
  }
}
