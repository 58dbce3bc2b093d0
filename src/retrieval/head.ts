import type { LocalRidgeSettings } from "../domain/model.js";
import { choleskyInPlace, solveInPlace } from "../linalg/cholesky.js";

/** exp(gamma * (similarity - 1)) - exp(-gamma): 0 for texts that share nothing. */
export const kernelOf = (similarity: number, gamma: number): number =>
  Math.exp(-gamma) * Math.expm1(gamma * similarity);

/**
 * Writes the kernel value of each similarity.
 * @param into  shape of the similarities
 */
export function kernelValues(similarities: Float32Array, gamma: number, into: Float32Array): void {
  const base = Math.exp(-gamma);
  for (let i = 0; i < similarities.length; i += 1) {
    const similarity = similarities[i];
    into[i] = similarity === 0 ? 0 : base * Math.expm1(gamma * similarity);
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

/** Score of each workflow, shape (workflows). @param values  kernel values of all texts */
export function headScores({ starts, texts, weights }: HeadWeights, values: Float32Array): Float64Array {
  const scores = new Float64Array(starts.length - 1);
  for (let workflow = 0; workflow < scores.length; workflow += 1) {
    const end = starts[workflow + 1];
    let sum = 0;
    for (let i = starts[workflow]; i < end; i += 1) {
      sum += weights[i] * values[texts[i]];
    }
    scores[workflow] = sum;
  }
  return scores;
}
