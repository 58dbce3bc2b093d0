import { seededRandom } from "../../../src/stats/seeded-random.js";
import { rules } from "./rules.js";
import type { World } from "./worlds.js";

export const guarantee = { target: 0.05, delta: 0.05 } as const;

/** How one rule did in one world. */
export interface WorldOutcome {
  readonly world: string;
  readonly rule: string;
  readonly claim: string;
  /** Whether the claim of the rule speaks about this world. */
  readonly covered: boolean;
  readonly repetitions: number;
  readonly violations: number;
  /** Mean routed share of all traffic, in [0, 1]; abstaining counts 0. */
  readonly coverage: number;
}

/** delta + 3 standard errors: more violations are not explained by chance. */
export function allowedViolations(repetitions: number): number {
  const { delta } = guarantee;
  return repetitions * (delta + 3 * Math.sqrt((delta * (1 - delta)) / repetitions));
}

/**
 * Draws folds, lets every rule choose a threshold, and compares it with the true risk.
 * @param worldAt  the world of a repetition; a constant for synthetic worlds
 * @param onRepetition  called after each repetition
 */
export function runWorld(
  worldAt: (repetition: number) => World,
  { repetitions, seed }: { readonly repetitions: number; readonly seed: number },
  onRepetition: (done: number) => void = () => undefined,
): readonly WorldOutcome[] {
  const random = seededRandom(seed);
  const tallies = rules.map(() => ({ violations: 0, coverage: 0 }));
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const world = worldAt(repetition);
    const folds = world.draw(random);
    for (const [i, rule] of rules.entries()) {
      const point = rule.choose(folds, guarantee, world);
      const tally = tallies[i];
      if (point === undefined || tally === undefined) continue;
      const rates = world.truth(point);
      tally.coverage += rates.coverage;
      if (rule.riskOf(rates) > guarantee.target) tally.violations += 1;
    }
    onRepetition(repetition + 1);
  }
  const world = worldAt(0);
  return rules.map((rule, i) => ({
    world: world.name,
    rule: rule.name,
    claim: rule.claim,
    covered: rule.covers(world),
    repetitions,
    violations: tallies[i]?.violations ?? 0,
    coverage: (tallies[i]?.coverage ?? 0) / repetitions,
  }));
}
