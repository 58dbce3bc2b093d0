import type { LocalRidgeSettings } from "../domain/model.js";
import { choleskyInPlace, solveInPlace } from "../linalg/cholesky.js";

/** exp(gamma * (similarity - 1)) - exp(-gamma): 0 for texts that share nothing. */
export const kernelOf = (similarity: number, gamma: number): number =>
  Math.exp(-gamma) * Math.expm1(gamma * similarity);

/** Places of a table on each side of 0, for each unit of gamma: a value is off by 1 / 8 / 1024^2 at most. */
const placesOfTable = 1024;

/** The kernel at evenly spaced similarities from -1 to 1, with straight lines between them. */
export class KernelTable {
  private readonly gamma: number;
  private readonly places: number;
  private readonly values: Float64Array;

  constructor(gamma: number) {
    this.gamma = gamma;
    this.places = Math.ceil(placesOfTable * Math.max(1, gamma));
    this.values = Float64Array.from({ length: 2 * this.places + 2 }, (_, i) => kernelOf(i / this.places - 1, gamma));
  }

  valueOf(similarity: number): number {
    const { places, values } = this;
    const at = (similarity + 1) * places;
    if (!(at >= 0 && at <= 2 * places)) return kernelOf(similarity, this.gamma);
    const place = Math.floor(at);
    return values[place] + (at - place) * (values[place + 1] - values[place]);
  }

  /** Writes the kernel value of each similarity. @param into  shape of the similarities */
  write(similarities: Float32Array, into: Float32Array): void {
    for (let i = 0; i < similarities.length; i += 1) into[i] = this.valueOf(similarities[i]);
  }

  /** The same for texts that these heads read only. */
  writeRead(similarities: Float32Array, { starts, texts }: HeadWeights, heads: Int32Array, into: Float32Array): void {
    for (let at = 0; at < heads.length; at += 1) {
      const end = starts[heads[at] + 1];
      for (let i = starts[heads[at]]; i < end; i += 1) into[texts[i]] = this.valueOf(similarities[texts[i]]);
    }
  }
}

/** Own texts of a workflow and the texts of others that it is set against. */
export interface LocalTexts {
  /** Positions of texts. */
  readonly own: readonly number[];
  readonly negatives: readonly number[];
}

/** Kernel value of two texts by their places in own texts followed by negatives. */
export type Kernel = (place: number, other: number) => number;

/**
 * Kernel ridge regression of "belongs to this workflow" on its own texts (target 1) and hard negatives (target 0), closed
 * form: (K + R) a = y with the ridge of each text on the diagonal of R. With every other text as a negative and equal ridges
 * this is the usual one-against-all head; fewer negatives keep the two classes in balance, and cost n^3 / 6 of few texts.
 *
 * @returns weights of the workflow's texts, then of the negatives
 * @throws {SluiceError} FIT_FAILED when similarities are no kernel
 */
export function localRidge(
  { own, negatives }: LocalTexts,
  kernel: Kernel,
  { ownRidge, negativeRidge }: Pick<LocalRidgeSettings, "ownRidge" | "negativeRidge">,
): Float64Array {
  const n = own.length + negatives.length;
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) matrix[i * n + j] = kernel(i, j);
    matrix[i * n + i] += i < own.length ? ownRidge : negativeRidge;
  }
  choleskyInPlace(matrix, n);
  const weights = new Float64Array(n).fill(1, 0, own.length);
  solveInPlace(matrix, n, weights, 1);
  return weights;
}

/** Weights of the texts that decide the score of each workflow: those of w lie at starts[w] to starts[w + 1]. */
export interface HeadWeights {
  readonly starts: Int32Array;
  readonly texts: Int32Array;
  readonly weights: Float32Array;
}

/** Heads fitted on a catalog: of the weighted mixture of both similarities, and of each alone. */
export type Heads = Readonly<Record<"mixed" | "encoder" | "lexical", HeadWeights>>;

/** Collects the weights of one workflow after another. */
export class HeadBuilder {
  private readonly starts: number[] = [0];
  private readonly texts: number[] = [];
  private readonly weights: number[] = [];

  add(texts: readonly number[], weights: Float64Array): void {
    for (const text of texts) this.texts.push(text);
    for (const weight of weights) this.weights.push(weight);
    this.starts.push(this.texts.length);
  }

  head(): HeadWeights {
    return {
      starts: Int32Array.from(this.starts),
      texts: Int32Array.from(this.texts),
      weights: Float32Array.from(this.weights),
    };
  }
}

/**
 * Writes the scores of some workflows. In four sums, because a sum waits for the one before it.
 * @param values  kernel values of all texts
 * @param into  shape (workflows)
 */
export function writeHeadScores(
  { starts, texts, weights }: HeadWeights,
  values: Float32Array,
  workflows: Int32Array,
  into: Float64Array,
): void {
  for (let at = 0; at < workflows.length; at += 1) {
    const workflow = workflows[at];
    const end = starts[workflow + 1];
    let [a, b, c, d] = [0, 0, 0, 0];
    let i = starts[workflow];
    for (; i + 3 < end; i += 4) {
      a += weights[i] * values[texts[i]];
      b += weights[i + 1] * values[texts[i + 1]];
      c += weights[i + 2] * values[texts[i + 2]];
      d += weights[i + 3] * values[texts[i + 3]];
    }
    for (; i < end; i += 1) a += weights[i] * values[texts[i]];
    into[workflow] = a + b + (c + d);
  }
}
