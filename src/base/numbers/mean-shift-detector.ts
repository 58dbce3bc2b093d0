/** Shares of the largest stake; small ones find small shifts, large ones find large shifts soon. */
const stakes = [1 / 32, 1 / 8, 1 / 2] as const;

/** Evidence above the threshold is capped, so that a past shift is forgotten. */
const cap = 10;

/** One direction: a bettor against "the mean is at most `limit`", who restarts at every value. */
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

  get evidence(): number {
    return this.#capitals.reduce((sum, capital) => sum + capital, 0) / stakes.length;
  }
}

/**
 * Watches a stream of values in [0, 1] for the moment at which their mean leaves [lower, upper]: a Shiryaev-Roberts
 * e-detector with bets, both directions (Shin, Ramdas and Rinaldo, arXiv 2203.03532; the stakes of Waudby-Smith and Ramdas,
 * arXiv 2010.09686).
 * While each mean, given the values before, lies inside, the evidence of one direction reaches `threshold` after at
 * least `threshold` values on average. Needs no window and three numbers for each direction.
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

  /** The stronger one of the two directions; compare it with the threshold. */
  get evidence(): number {
    return Math.max(...this.#directions.map((direction) => direction?.evidence ?? 0));
  }
}
