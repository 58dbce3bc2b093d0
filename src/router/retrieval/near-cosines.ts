import { SharedRows } from "../../inference/shared-rows.js";
import { bestPositions } from "./best-positions.js";

/** Number of workflows whose texts are compared individually. */
const nearWorkflows = 256;

/**
 * Cosines for a large catalog, where reading every vector for every request takes too long. Texts of the workflows with
 * the nearest means are compared individually; every other text gets the cosine of its workflow's mean.
 */
export class NearCosines {
  private readonly vectors: SharedRows;
  private readonly starts: Int32Array;
  /** Mean vector of each workflow. */
  readonly means: SharedRows;
  private readonly order: Int32Array;
  private readonly ofMeans: Float32Array;
  private readonly scores: Float64Array;

  /** @param starts texts of workflow w are at starts[w] up to (not including) starts[w + 1] */
  constructor(vectors: SharedRows, means: SharedRows, starts: Int32Array) {
    this.vectors = vectors;
    this.starts = starts;
    this.means = means;
    this.order = Int32Array.from({ length: means.rows }, (_, workflow) => workflow);
    this.ofMeans = vectors.memory.float32(means.rows);
    this.scores = new Float64Array(means.rows);
  }

  /** @param into array of shape (texts), in the memory of the vectors */
  write(vector: Float32Array, into: Float32Array): void {
    const { vectors, starts, means, ofMeans, scores, order } = this;
    means.writeProducts(vector, 0, means.rows, ofMeans);
    for (let workflow = 0, text = 0; workflow < means.rows; workflow += 1) {
      const mean = ofMeans[workflow];
      for (const end = starts[workflow + 1]; text < end; text += 1) into[text] = mean;
    }
    scores.set(ofMeans);
    for (const workflow of bestPositions({ scores, idRanks: order }, nearWorkflows)) {
      const [from, to] = [starts[workflow], starts[workflow + 1]];
      vectors.writeProducts(vector, from, to, into.subarray(from, to));
    }
  }
}

/** Mean of the rows from starts[i] (inclusive) to starts[i + 1] (exclusive), for each i. */
export function meansOf({ values, columns, memory }: SharedRows, starts: Int32Array): SharedRows {
  const means = SharedRows.ofSize(starts.length - 1, columns, memory);
  for (let place = 0; place < means.rows; place += 1) {
    const mean = means.row(place);
    const count = starts[place + 1] - starts[place];
    for (let row = starts[place]; row < starts[place + 1]; row += 1) {
      for (let d = 0; d < columns; d += 1) mean[d] += values[row * columns + d] / count;
    }
  }
  return means;
}
