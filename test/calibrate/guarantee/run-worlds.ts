import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { delta, type Rule, rules, type Shipped } from "./rules.js";
import type { Truth, CliIo } from "./worlds.js";

/** How one rule did in one world with so many workflows to certify on. */
export interface WorldOutcome {
  readonly world: string;
  readonly workflows: number;
  /** Planned target. */
  readonly target: number;
  readonly rule: string;
  readonly claim: Rule["claim"];
  /** Whether the claim speaks about this world: stated before it was run. */
  readonly covered: boolean;
  readonly repetitions: number;
  /** Repetitions in which some certified claim was not true. */
  readonly violations: number;
  /** Mean of what the claim bounds, nothing routed counting as 0, and its standard error. */
  readonly meanRisk: number;
  readonly standardError: number;
  /** Mean routed share of all traffic, in [0, 1]; abstaining counts 0. */
  readonly coverage: number;
  /** The largest that one threshold could route if the risk were known. */
  readonly bestCoverage: number;
}

/** delta + 3 standard errors: more violations are not explained by chance. */
export function allowedViolations(repetitions: number): number {
  return repetitions * (delta + 3 * Math.sqrt((delta * (1 - delta)) / repetitions));
}

/** Whether chance does not explain how often a claim failed in a world that it covers. */
export function isBroken(outcome: WorldOutcome): boolean {
  if (!outcome.covered) return false;
  return outcome.violations > allowedViolations(outcome.repetitions);
}

/** Share of the routed requests that is wrong; 0 if none is routed. */
function riskOf({ tiers, threshold }: Shipped, truth: Truth): number {
  const { routed, wrong } = truth.routes(threshold, tiers);
  return routed === 0 ? 0 : wrong / routed;
}

class Tally {
  readonly risks: number[] = [];
  violations = 0;
  coverage = 0;

  add(shipped: readonly Shipped[], truth: Truth): void {
    const risks = shipped.map((one) => riskOf(one, truth));
    this.risks.push(Math.max(0, ...risks));
    // A millionth: truths are sums of many shares.
    if (shipped.some(({ target }, i) => (risks[i] ?? 0) > target + 1e-6)) this.violations += 1;
    for (const { tiers, threshold } of shipped) this.coverage += truth.routes(threshold, tiers).routed;
  }
}

export interface WorldRun {
  /** In scope, to certify on. */
  readonly workflows: number;
  readonly repetitions: number;
  readonly seed: number;
  readonly targets: readonly number[];
  /** Names of the rules to run. Default: all. */
  readonly only?: readonly string[];
}

/** Draws requests, lets every rule choose thresholds for every target, and compares them with the true risk. */
export function runWorld(
  world: CliIo,
  { workflows, repetitions, seed, targets, only }: WorldRun,
): readonly WorldOutcome[] {
  const random = seededRandom(seed);
  const wanted = rules.filter(({ name }) => only === undefined || only.includes(name));
  const tallies = wanted.map(() => targets.map(() => new Tally()));
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const tested = world.draw(random, workflows);
    for (const [i, rule] of wanted.entries()) {
      const truth = rule.claim === "fixed-catalog" ? tested.same : world.truth;
      for (const [at, shipped] of rule.choose(tested, targets).entries()) tallies[i]?.[at]?.add(shipped, truth);
    }
  }
  return targets.flatMap((target, at) => {
    const bestCoverage = world.bestCoverage(target);
    return wanted.map((rule, i) => {
      const tally: Tally | undefined = tallies[i]?.[at];
      if (tally === undefined) throw new RangeError(`no tally of rule ${i} at target ${at}`);
      const { risks, violations, coverage } = tally;
      const meanRisk = risks.reduce((sum, risk) => sum + risk, 0) / repetitions;
      const squares = risks.reduce((sum, risk) => sum + (risk - meanRisk) ** 2, 0);
      return {
        world: world.name,
        workflows,
        target,
        rule: rule.name,
        claim: rule.claim,
        covered: rule.claim !== "none" && world.covers[rule.claim],
        repetitions,
        violations,
        meanRisk,
        standardError: Math.sqrt(squares / Math.max(1, repetitions - 1) / repetitions),
        coverage: coverage / repetitions,
        bestCoverage,
      };
    });
  });
}
