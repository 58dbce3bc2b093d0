import type { LocalRidgeSettings } from "../../documents/model.js";
import { endOf, type SharedMemory } from "../../inference/shared-memory.js";
import { choleskyInPlace, solveInPlace } from "./cholesky.js";

/** exp(gamma * (similarity - 1)) - exp(-gamma), which is 0 for texts that share nothing. */
export const kernelOf = (similarity: number, gamma: number): number =>
  Math.exp(-gamma) * Math.expm1(gamma * similarity);

/**
 * Computes the kernel of similarities in the memory of an index, as float32: the error is at most 5e-7 for similarities
 * up to 1, and 0 for similarity 0.
 */
export class FastKernel {
  private readonly gamma: number;
  private readonly memory: SharedMemory;
  /** exp(-gamma) as computed for similarity 0. */
  private readonly least: number;

  constructor(gamma: number, memory: SharedMemory) {
    this.gamma = gamma;
    this.memory = memory;
    const zero = memory.float32(1);
    memory.kernels.kernelValues(zero.byteOffset, endOf(zero), gamma, 0, zero.byteOffset);
    this.least = zero[0];
  }

  /**
   * Writes the kernel value of each similarity.
   * @param similarities  array in the memory of the index
   * @param into  array of the same shape, in the same memory
   */
  write(similarities: Float32Array, into: Float32Array): void {
    const { kernels } = this.memory;
    kernels.kernelValues(similarities.byteOffset, endOf(similarities), this.gamma, this.least, into.byteOffset);
  }

  /** The same, but only for texts that these heads use. */
  writeRead(similarities: Float32Array, { starts, texts }: HeadWeights, heads: Int32Array, into: Float32Array): void {
    const { kernels } = this.memory;
    for (const head of heads) {
      const [from, to] = [starts[head], starts[head + 1]].map(
        (text) => texts.byteOffset + text * texts.BYTES_PER_ELEMENT,
      );
      kernels.kernelValuesOf(from, to, similarities.byteOffset, this.gamma, this.least, into.byteOffset);
    }
  }
}

/** Texts of a workflow, and the texts of other workflows that it is contrasted with. */
export interface LocalTexts {
  readonly own: readonly number[];
  readonly negatives: readonly number[];
}

/**
 * Writes the kernel of the first n texts (the workflow's own, then the negatives), shape (n, n); lower triangle only.
 */
export type WriteKernel = (into: Float64Array, n: number) => void;

/**
 * Kernel ridge regression of "belongs to this workflow" on its own texts (target 1) and hard negatives (target 0), in
 * closed form: (K + R) a = y, with the ridge of each text on the diagonal of R. With all other texts as negatives and
 * equal ridges, this is the usual one-against-all head. Fewer negatives balance the two classes and keep n small in the
 * cost of n^3 / 6.
 *
 * @returns weights of the workflow's texts, then of the negatives
 * @throws {SluiceError} FIT_FAILED if the similarities do not form a kernel
 */
export function localRidge(
  { own, negatives }: LocalTexts,
  writeKernel: WriteKernel,
  { own_ridge: ownRidge, negative_ridge: negativeRidge }: Pick<LocalRidgeSettings, "own_ridge" | "negative_ridge">,
): Float64Array {
  const n = own.length + negatives.length;
  const matrix = new Float64Array(n * n);
  writeKernel(matrix, n);
  for (let i = 0; i < n; i += 1) matrix[i * n + i] += i < own.length ? ownRidge : negativeRidge;
  choleskyInPlace(matrix, n);
  const weights = new Float64Array(n).fill(1, 0, own.length);
  solveInPlace(matrix, n, weights);
  return weights;
}

/**
 * Weights of the texts that determine the score of each workflow: those of w are at starts[w] up to (not including)
 * starts[w + 1]. Stored in the memory of the index.
 */
export interface HeadWeights {
  readonly starts: Int32Array;
  readonly texts: Int32Array;
  readonly weights: Float32Array;
}

/** Heads fitted on a catalog, for the weighted mixture of both similarities and for each one alone. */
export type Heads = Readonly<Record<"mixed" | "encoder" | "lexical", HeadWeights>>;

/** Collects the weights of the workflows, one after another. */
export class HeadBuilder {
  private readonly starts: number[] = [0];
  private readonly texts: number[] = [];
  private readonly weights: number[] = [];

  add(texts: readonly number[], weights: Float64Array): void {
    for (const text of texts) this.texts.push(text);
    for (const weight of weights) this.weights.push(weight);
    this.starts.push(this.texts.length);
  }

  /** Returns the head, stored in memory that threads share. */
  head(memory: SharedMemory): HeadWeights {
    const { length } = this.texts;
    const head = {
      starts: memory.int32(this.starts.length),
      texts: memory.int32(length),
      weights: memory.float32(length),
    };
    head.starts.set(this.starts);
    head.texts.set(this.texts);
    head.weights.set(this.weights);
    return head;
  }
}
