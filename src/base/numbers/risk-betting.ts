/** Alternative risks to bet on, as multiples of the limit, each with its share of the stake. */
const alternatives = [
  { factor: 1.5, share: 0.3 },
  { factor: 2, share: 0.4 },
  { factor: 3, share: 0.2 },
  { factor: 5, share: 0.1 },
] as const;

/** Alternative risks below the limit, each with its share of the stake. */
const lower = [
  { factor: 0.25, share: 0.25 },
  { factor: 0.5, share: 0.5 },
  { factor: 0.75, share: 0.25 },
] as const;

/**
 * Number of labels between two start times of the bets against the claim. Bets that began long ago have lost most of
 * their stake in a good run, so new ones begin throughout; the b-th start has 6 / (pi b)^2 of the stake.
 */
const block = 50;
/** Starts after 20,000 labels would have next to no stake. */
const mostStarts = 400;

interface Bet {
  readonly share: number;
  readonly onWrong: number;
  readonly onRight: number;
}

/**
 * Anytime-valid test of "at most `limit` of the routes are wrong" from labelled routes: mixtures of likelihood ratios
 * (Waudby-Smith and Ramdas, arXiv 2010.09686), against the claim also over start times, so that a change after a long
 * good run is noticed (Shin, Ramdas and Rinaldo, arXiv 2203.03532). If the claim is true, the evidence against it ever
 * reaches 1 / delta with probability at most delta, however often it is read (Ville's inequality). The same holds for
 * the evidence in favour if the risk is at least the limit.
 *
 * @example const test = new RiskBetting(0.1); test.add(true); if (test.against >= 20) alarm();
 */
export class RiskBetting {
  readonly #against: readonly Bet[];
  readonly #for: readonly Bet[];
  /** Logarithms of the capital of each bet, of the first start first. */
  readonly #starts: Float64Array[] = [];
  readonly #logFor: Float64Array;
  #labels = 0;
  #wrong = 0;
  #mostAgainst = 0;

  /** @param limit  in (0, 1) */
  constructor(limit: number) {
    const betOn = (risk: number, share: number): Bet => ({
      share,
      onWrong: Math.log(risk / limit),
      onRight: Math.log((1 - risk) / (1 - limit)),
    });
    this.#against = alternatives.map(({ factor, share }) => betOn(Math.min((1 + limit) / 2, factor * limit), share));
    this.#for = lower.map(({ factor, share }) => betOn(factor * limit, share));
    this.#logFor = new Float64Array(this.#for.length);
  }

  add(wrong: boolean): void {
    if (this.#labels % block === 0 && this.#starts.length < mostStarts)
      this.#starts.push(new Float64Array(this.#against.length));
    this.#labels += 1;
    if (wrong) this.#wrong += 1;
    for (const start of this.#starts) settle(this.#against, start, wrong);
    settle(this.#for, this.#logFor, wrong);
    this.#mostAgainst = Math.max(this.#mostAgainst, this.#againstNow());
  }

  get labels(): number {
    return this.#labels;
  }

  get wrong(): number {
    return this.#wrong;
  }

  /** Largest e-value so far against the claim that at most `limit` are wrong: 20 refutes the claim at the 5% level. */
  get against(): number {
    return this.#mostAgainst;
  }

  /** E-value against the claim that at least `limit` are wrong. */
  get inFavour(): number {
    return capital(this.#for, this.#logFor);
  }

  /** The stake of starts to come is still whole. */
  #againstNow(): number {
    let [sum, begun] = [0, 0];
    for (const [at, start] of this.#starts.entries()) {
      const stake = 6 / (Math.PI * (at + 1)) ** 2;
      sum += stake * capital(this.#against, start);
      begun += stake;
    }
    return sum + 1 - begun;
  }
}

function settle(bets: readonly Bet[], logCapital: Float64Array, wrong: boolean): void {
  for (const [at, { onWrong, onRight }] of bets.entries())
    logCapital[at] = (logCapital[at] ?? 0) + (wrong ? onWrong : onRight);
}

const capital = (bets: readonly Bet[], logCapital: Float64Array): number =>
  bets.reduce((sum, { share }, at) => sum + share * Math.exp(Math.min(700, logCapital[at] ?? 0)), 0);
