/** Fractions of the largest stake. Small stakes detect small shifts; large stakes detect large shifts quickly. */
const stakes = [1 / 32, 1 / 8, 1 / 2] as const;

/** The statistic is capped at this multiple of the threshold, so that a past shift is forgotten. */
const cap = 10;

/** Bets in one direction, against the hypothesis "the mean is at most `limit`", and restarts at every value. */
class Direction {
  readonly #limit: number;
  readonly #ceiling: number;
  readonly #capitals: number[] = stakes.map(() => 0);

  constructor(limit: number, ceiling: number) {
    this.#limit = limit;
    this.#ceiling = ceiling;
  }

  add(value: number): void {
    for (const [index, stake] of stakes.entries()) {
      const factor = 1 + (stake / this.#limit) * (value - this.#limit);
      this.#capitals[index] = Math.min(((this.#capitals[index] ?? 0) + 1) * factor, this.#ceiling);
    }
  }

  get statistic(): number {
    return this.#capitals.reduce((sum, capital) => sum + capital, 0) / stakes.length;
  }
}

/**
 * Detects when the mean of a stream of values in [0, 1] leaves [lower, upper]: a betting Shiryaev-Roberts e-detector in
 * each direction (Shin, Ramdas and Rinaldo, arXiv 2203.03532; stakes from Waudby-Smith and Ramdas, arXiv 2010.09686).
 * As long as the conditional mean of each value, given the previous ones, stays inside, the statistic of one direction
 * takes at least `threshold` values on average to reach `threshold`. Needs no window, only three numbers per direction.
 */
export class MeanShiftDetector {
  readonly #directions: readonly [Direction | null, Direction | null];

  /** @param lower, upper  in [0, 1]; a bound at 0 or 1 is not watched on that side */
  constructor(lower: number, upper: number, threshold: number) {
    const ceiling = cap * threshold;
    this.#directions = [
      upper > 0 && upper < 1 ? new Direction(upper, ceiling) : null,
      lower > 0 && lower < 1 ? new Direction(1 - lower, ceiling) : null,
    ];
  }

  add(value: number): void {
    this.#directions[0]?.add(value);
    this.#directions[1]?.add(1 - value);
  }

  /** The larger statistic of the two directions, for comparison with the threshold. */
  get statistic(): number {
    return Math.max(...this.#directions.map((direction) => direction?.statistic ?? 0));
  }
}
