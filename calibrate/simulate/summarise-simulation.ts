import type { Claim } from "../../src/domain/calibration.js";
import { wilson } from "../../eval/stats/wilson.js";
import { formatFixedPercent, formatFixedPercentUp } from "../../src/domain/number-text.js";
import type { Repetition } from "./simulate-calibration.js";

/** Repetitions with folds of one size, summarised. Shares are in [0, 1]. */
export interface SimulationSummary {
  readonly factor: number;
  readonly repetitions: number;
  /** Repetitions with a false certified claim. */
  readonly violations: number;
  readonly violationShare: number;
  /** Two-sided 95 % Wilson interval of that share. */
  readonly violationInterval: { readonly lower: number; readonly upper: number };
  /** delta + 3 standard errors: more violations than this are beyond chance. */
  readonly allowedShare: number;
  readonly coverage: number;
  readonly bestCoverage: number;
  /** Share of the repetitions that certified the claim of a scope; scopes that were never certified are absent. */
  readonly certified: readonly { readonly scope: Claim["scope"]; readonly share: number }[];
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** One summary for each size of the folds, smallest first. */
export function summariseSimulation(repetitions: readonly Repetition[], delta: number): readonly SimulationSummary[] {
  const factors = [...new Set(repetitions.map(({ factor }) => factor))].toSorted((a, b) => a - b);
  const scopes = [...new Set(repetitions.flatMap(({ certified }) => certified))].toSorted();
  return factors.map((factor) => {
    const own = repetitions.filter((repetition) => repetition.factor === factor);
    const violations = own.filter(({ broken }) => broken).length;
    return {
      factor,
      repetitions: own.length,
      violations,
      violationShare: violations / own.length,
      violationInterval: wilson(violations, own.length, 0.95),
      allowedShare: delta + 3 * Math.sqrt((delta * (1 - delta)) / own.length),
      coverage: mean(own.map(({ coverage }) => coverage)),
      bestCoverage: mean(own.map(({ bestCoverage }) => bestCoverage)),
      certified: scopes.map((scope) => ({
        scope,
        share: mean(own.map(({ certified }) => (certified.includes(scope) ? 1 : 0))),
      })),
    };
  });
}

/** The summaries in plain words: how often claims were false, the coverage, and the gain from more data. */
export function describeSimulation(summaries: readonly SimulationSummary[], delta: number): readonly string[] {
  return summaries.flatMap((summary) => {
    const size = summary.factor === 1 ? "With as much data as now" : `With ${summary.factor} times the data`;
    const certified = summary.certified.map(({ scope, share }) => `${scope} ${formatFixedPercent(share)}`).join(", ");
    const verdict = summary.violationShare <= summary.allowedShare ? "within" : "ABOVE";
    return [
      `${size}, ${summary.repetitions} repetitions:`,
      `  Some claim was broken in ${summary.violations}, ${formatFixedPercentUp(summary.violationShare)} (95 % interval to ` +
        `${formatFixedPercentUp(summary.violationInterval.upper)}): ${verdict} the ${formatFixedPercentUp(delta)} that were allowed, chance included.`,
      `  Routed ${formatFixedPercent(summary.coverage)} of all requests; ${formatFixedPercent(summary.bestCoverage)} if the risk were known.`,
      `  Certified: ${certified === "" ? "nothing" : certified}.`,
    ];
  });
}
