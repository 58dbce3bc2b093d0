/**
 * Kernel ridge regression with whole families of texts left out, in closed form. A retriever with such a head can score
 * each text as if its family had never been an example, without fitting again; `leftOutParts` of datasets/ does the same
 * by explicit refits for any retriever.
 *
 * With the regularised kernel matrix M = K + R, B = inverse(M) and a = B y, leaving out the texts P turns the weights of
 * the others into a[Q] - B[Q,P] inverse(B[P,P]) a[P], so that a request with the kernel values k has the value
 * k.a - k.B[:,P] inverse(B[P,P]) a[P]. The request's own words, and those of its family, must be out of the weights of
 * words (idf) in k as well: the retriever computes k so.
 */
import type { LabelledRequest } from "../../src/domain/dataset.js";
import type { ScoredRequest } from "../../src/domain/router.js";
import { choleskyInPlace, solveInPlace } from "../../src/linalg/cholesky.js";

/** A text to score with its family left out. */
export interface LeftOutText {
  readonly request: LabelledRequest;
  /** Name of its family; see `familiesOf`. */
  readonly family: string;
}

/**
 * What a retriever supplies for scoring every text twice: candidate scores of each text over the catalog without the
 * examples of its family.
 * @param exampleFamilies  family of each example of the catalog, in its order
 * @returns  in the order of the texts
 */
export type ScoreLeftOut = (
  texts: readonly LeftOutText[],
  exampleFamilies: readonly string[],
) => Promise<readonly ScoredRequest[]>;

/** A fitted ridge head of one workflow over n texts. */
export interface RidgeHead {
  readonly n: number;
  /** Inverse of the regularised kernel matrix, n x n, row by row. */
  readonly inverse: Float64Array;
  /** Inverse times targets. */
  readonly weights: Float64Array;
}

/**
 * @param kernel  n x n, positive definite with the ridges on its diagonal, row by row; not changed
 * @param targets  1 for texts of the workflow, 0 for others
 * @throws {SluiceError} FIT_FAILED  when the matrix is not positive definite
 */
export function fitRidgeHead(kernel: Float64Array, targets: Float64Array): RidgeHead {
  const n = targets.length;
  const factor = kernel.slice();
  choleskyInPlace(factor, n);
  const inverse = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) inverse[i * n + i] = 1;
  solveInPlace(factor, n, inverse, n);
  const weights = targets.slice();
  solveInPlace(factor, n, weights, 1);
  return { n, inverse, weights };
}

/**
 * Value of a request under a head that was fitted without some of its texts.
 * @param values  kernel value of the request with each text; those of left-out texts are not read
 * @param family  positions of the texts to leave out, distinct; empty: the ordinary value
 */
export function leftOutValue(
  { n, inverse, weights }: RidgeHead,
  values: Float64Array,
  family: readonly number[],
): number {
  const size = family.length;
  const isLeftOut = new Uint8Array(n);
  for (const at of family) isLeftOut[at] = 1;
  // c = inverse(B[P,P]) a[P]
  const correction = Float64Array.from(family, (at) => weights[at]);
  if (size > 0) {
    const block = new Float64Array(size * size);
    for (const [i, row] of family.entries()) {
      for (const [j, column] of family.entries()) block[i * size + j] = inverse[row * n + column];
    }
    choleskyInPlace(block, size);
    solveInPlace(block, size, correction, 1);
  }
  let value = 0;
  for (let i = 0; i < n; i += 1) {
    if (isLeftOut[i] === 1) continue;
    let weight = weights[i];
    for (const [j, column] of family.entries()) weight -= inverse[i * n + column] * correction[j];
    value += values[i] * weight;
  }
  return value;
}
