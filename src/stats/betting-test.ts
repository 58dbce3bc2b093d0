/** Share of the largest stake that keeps the capital positive. */
const defaultCap = 0.5;

/**
 * p-value of "the mean of values in [0, 1] is at least `mean`" for independent values: the largest capital of a bettor
 * against it (Waudby-Smith and Ramdas, arXiv 2010.09686). It holds for any number of values, whatever their distribution.
 * Stakes look at earlier values only, so the order must be fixed without a look at the values.
 *
 * @param values  in [0, 1], one per independent unit
 * @param mean  the mean to exclude, in (0, 1)
 * @param d  the level at which the p-value will be used; only the stakes depend on it
 * @param cap  in (0, 1]: stakes are at most cap / (1 - mean)
 */
export function bettingPValue(values: ArrayLike<number>, mean: number, d: number, cap = defaultCap): number {
  const n = values.length;
  let logCapital = 0;
  let largest = 0;
  let sum = 0.5;
  let squares = 0.25;
  let variance = 0.25;
  for (let i = 0; i < n; i += 1) {
    const value = values[i] as number;
    const stake = Math.min(Math.sqrt((2 * Math.log(1 / d)) / (n * variance)), cap / (1 - mean));
    logCapital += Math.log1p(-stake * (value - mean));
    largest = Math.max(largest, logCapital);
    sum += value;
    squares += (value - sum / (i + 2)) ** 2;
    variance = squares / (i + 2);
  }
  return Math.min(1, Math.exp(-largest));
}

/**
 * Upper limit of the mean at `d` by inverting `bettingPValue`, to 1e-9 and rounded up; 1 without values.
 */
export function bettingUpper(values: ArrayLike<number>, d: number, cap = defaultCap): number {
  let [low, high] = [0, 1];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (bettingPValue(values, middle, d, cap) <= d) high = middle;
    else low = middle;
  }
  return high;
}
