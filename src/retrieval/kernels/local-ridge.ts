import type { LocalRidgeSettings } from "../../domain/model.js";
import { choleskyInPlace, solveInPlace } from "../../linalg/cholesky.js";

/**
 * Writes exp(gamma * (similarity - 1)) - exp(-gamma) of each similarity: 0 for texts that share nothing.
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
  readonly rivals: readonly number[];
}

/** Similarity of two texts by their places in own texts followed by rivals. */
export type Similarity = (place: number, other: number) => number;

/**
 * Kernel ridge regression of "belongs to this workflow" on its own texts (target 1) and its rivals (target 0), closed
 * form: (K + R) a = y with the ridge of each text on the diagonal of R. With every other text as a rival and equal ridges
 * this is the usual one-against-all head; fewer rivals keep the two classes in balance, and cost n^3 / 6 of few texts.
 *
 * @returns weights of the workflow's texts, then of the rivals
 * @throws {SluiceError} FIT_FAILED when similarities are no kernel
 */
export function localRidge(
  { own, rivals }: LocalTexts,
  similarity: Similarity,
  { gamma, ownRidge, rivalRidge }: LocalRidgeSettings,
): Float64Array {
  const n = own.length + rivals.length;
  const base = Math.exp(-gamma);
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      matrix[i * n + j] = base * Math.expm1(gamma * similarity(i, j));
    }
    matrix[i * n + i] += i < own.length ? ownRidge : rivalRidge;
  }
  choleskyInPlace(matrix, n);
  const weights = new Float64Array(n).fill(1, 0, own.length);
  solveInPlace(matrix, n, weights, 1);
  return weights;
}
