/** Learned vectors of the lemmas of a vocabulary. */
export interface WordVectors {
  readonly dimensions: number;
  /** Lemmas in the vocabulary. */
  readonly size: number;
  /** The vocabulary, in row order. */
  readonly lemmas: readonly string[];
  /** Row of a lemma, or -1 when the vocabulary lacks it. */
  rowOf(lemma: string): number;
  /** Shape (size, dimensions), row-major: the trained vector times its SIF weight. */
  readonly rows: Float32Array;
  /** Relative frequency of each lemma in the training texts, in (0, 1]. */
  readonly frequency: Float32Array;
}
