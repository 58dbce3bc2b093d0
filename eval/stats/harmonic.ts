const eulerMascheroni = 0.577_215_664_901_532_9;
const tabled = 64;

const firstHarmonics = Array.from({ length: tabled }, () => 0);
for (let k = 1; k < tabled; k += 1) firstHarmonics[k] = (firstHarmonics[k - 1] ?? 0) + 1 / k;

/**
 * Harmonic number H(n) = 1 + 1/2 + ... + 1/n, as an exact sum for n < 64, otherwise by the Euler-Maclaurin series up to
 * n^-6 with an error below 1e-16. n is an integer >= 0.
 */
export function harmonic(n: number): number {
  const small = firstHarmonics[n];
  if (small !== undefined) return small;
  const square = n * n;
  return Math.log(n) + eulerMascheroni + 1 / (2 * n) - (1 / 12 - (1 / 120 - 1 / (252 * square)) / square) / square;
}
