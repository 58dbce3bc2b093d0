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

interface Bet {
  readonly share: number;
  readonly onWrong: number;
  readonly onRight: number;
  logCapital: number;
}

/**
 * Anytime-valid test of "at most `limit` of the routes are wrong" from labelled routes: two mixtures of likelihood
 * ratios (Waudby-Smith and Ramdas, arXiv 2010.09686). If the claim is true, the evidence against it ever reaches 1 /
 * delta with probability at most delta, however often it is read (Ville's inequality). The same holds for the evidence
 * in favour if the risk is at least the limit.
 *
 * @example const test = new RiskBetting(0.1); test.add(true); if (test.against >= 20) alarm();
 */
export class RiskBetting {
  readonly #against: readonly Bet[];
  readonly #for: readonly Bet[];
  #labels = 0;
  #wrong = 0;
  #mostAgainst = 0;

  /** @param limit  in (0, 1) */
  constructor(limit: number) {
    const betOn = (risk: number, share: number): Bet => ({
      share,
      onWrong: Math.log(risk / limit),
      onRight: Math.log((1 - risk) / (1 - limit)),
      logCapital: 0,
    });
    this.#against = alternatives.map(({ factor, share }) => betOn(Math.min((1 + limit) / 2, factor * limit), share));
    this.#for = lower.map(({ factor, share }) => betOn(factor * limit, share));
  }

  add(wrong: boolean): void {
    this.#labels += 1;
    if (wrong) this.#wrong += 1;
    for (const bet of [...this.#against, ...this.#for]) bet.logCapital += wrong ? bet.onWrong : bet.onRight;
    this.#mostAgainst = Math.max(this.#mostAgainst, capital(this.#against));
  }

  get labels(): number {
    return this.#labels;
  }

  get wrong(): number {
    return this.#wrong;
  }

  /** Largest e-value so far against the claim that at most `limit` are wrong: 20 refutes the claim at the 5 % level. */
  get against(): number {
    return this.#mostAgainst;
  }

  /** E-value against the claim that at least `limit` are wrong. */
  get inFavour(): number {
    return capital(this.#for);
  }
}

const capital = (bets: readonly Bet[]): number =>
  bets.reduce((sum, { share, logCapital }) => sum + share * Math.exp(Math.min(700, logCapital)), 0);
