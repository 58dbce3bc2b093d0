import type { LocalRidgeSettings } from "../../documents/model.js";
import { endOf, type SharedMemory } from "../../inference/shared-memory.js";
import { choleskyInPlace, solveInPlace } from "./cholesky.js";

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
  private readonly memory: SharedMemory;

  constructor(gamma: number, memory: SharedMemory) {
    this.gamma = gamma;
    this.places = Math.ceil(placesOfTable * Math.max(1, gamma));
    this.memory = memory;
    this.values = memory.float64(2 * this.places + 2);
    for (let i = 0; i < this.values.length; i += 1) this.values[i] = kernelOf(i / this.places - 1, gamma);
  }

  /**
   * Writes the kernel value of each similarity, exactly beyond the table.
   * @param similarities  in the memory of the table
   * @param into  of the same shape, in the same memory
   */
  write(similarities: Float32Array, into: Float32Array): void {
    const { places, values, gamma } = this;
    const { tableValues } = this.memory.kernels;
    const [from, end] = [similarities.byteOffset, endOf(similarities)];
    for (let at = from; at < end; at += floatBytes) {
      at = tableValues(at, end, values.byteOffset, places, into.byteOffset + at - from) >>> 0;
      const place = (at - from) / floatBytes;
      if (at < end) into[place] = kernelOf(similarities[place], gamma);
    }
  }

  /** The same for texts that these heads read only. */
  writeRead(similarities: Float32Array, { starts, texts }: HeadWeights, heads: Int32Array, into: Float32Array): void {
    for (const head of heads) this.writeOf(similarities, texts.subarray(starts[head], starts[head + 1]), into);
  }

  private writeOf(similarities: Float32Array, texts: Int32Array, into: Float32Array): void {
    const { places, values, gamma } = this;
    const { tableValuesOf } = this.memory.kernels;
    const [from, end] = [texts.byteOffset, endOf(texts)];
    for (let at = from; at < end; at += floatBytes) {
      at = tableValuesOf(at, end, similarities.byteOffset, values.byteOffset, places, into.byteOffset) >>> 0;
      const text = texts[(at - from) / floatBytes];
      if (at < end) into[text] = kernelOf(similarities[text], gamma);
    }
  }
}

const floatBytes = Float32Array.BYTES_PER_ELEMENT;

/** Own texts of a workflow and the texts of others that it is set against. */
export interface LocalTexts {
  /** Positions of texts. */
  readonly own: readonly number[];
  readonly negatives: readonly number[];
}

/** Writes the kernel of the first n of own texts followed by negatives, shape (n, n); only the lower triangle. */
export type WriteKernel = (into: Float64Array, n: number) => void;

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
 * Weights of the texts that decide the score of each workflow: those of w lie at starts[w] to starts[w + 1]. In the memory
 * of the index.
 */
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

  /** In memory that threads share. */
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
