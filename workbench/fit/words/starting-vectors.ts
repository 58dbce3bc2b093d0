import type { SeededRandom } from "../../../src/stats/seeded-random.js";
import type { Vocabulary } from "../../../src/retrieval/words/vocabulary.js";

/**
 * Unit co-occurrence vectors plus `identity` times a random unit vector per word, so that words with the same
 * co-occurrences stay distinct.
 * @param factors  shape (size, width), row-major
 */
export function startingVectors(
  factors: Float32Array,
  width: number,
  identity: number,
  random: SeededRandom,
): Float32Array {
  const vectors = new Float32Array(factors.length);
  for (let from = 0; from < factors.length; from += width) {
    const company = unit(factors.subarray(from, from + width));
    const own = unit(Float32Array.from({ length: width }, () => random.normal()));
    for (let k = 0; k < width; k += 1) vectors[from + k] = company[k] + identity * own[k];
  }
  return vectors;
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Smooth inverse frequency a / (a + p) of each lemma (Arora, Liang and Ma, ICLR 2017). */
export function sifWeights({ counts }: Vocabulary, a: number): Float64Array {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return Float64Array.from(counts, (count) => a / (a + count / total));
}
