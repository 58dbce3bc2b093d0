/**
 * Isotonic regression by pooling adjacent violators: the non-decreasing values with the least weighted squared distance
 * to `means`. O(n); weights of 0 are allowed and their means ignored.
 * @returns  one fitted value per mean
 */
export function isotonicFit(means: Float64Array, weights: Float64Array): Float64Array {
  const sums = new Float64Array(means.length);
  const masses = new Float64Array(means.length);
  const ends = new Int32Array(means.length);
  let blocks = 0;
  for (let i = 0; i < means.length; i += 1) {
    const weight = weights[i];
    sums[blocks] = weight === 0 ? 0 : means[i] * weight;
    masses[blocks] = weight;
    ends[blocks] = i;
    while (blocks > 0 && violates(sums, masses, blocks)) {
      blocks -= 1;
      sums[blocks] += sums[blocks + 1];
      masses[blocks] += masses[blocks + 1];
      ends[blocks] = i;
    }
    blocks += 1;
  }
  const fitted = new Float64Array(means.length);
  for (let block = 0, from = 0; block < blocks; block += 1) {
    const end = ends[block] + 1;
    fitted.fill(sums[block] / masses[block], from, end);
    from = end;
  }
  return fitted;
}

/** Whether the mean of a block is not above that of the block before; compared without a division. */
function violates(sums: Float64Array, masses: Float64Array, block: number): boolean {
  const before = sums[block - 1] * masses[block];
  return before >= sums[block] * masses[block - 1];
}
