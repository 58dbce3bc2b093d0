/** Workflows and out-of-scope groups whose error chances are known, requests drawn from them, and what thresholds do. */
import type { RiskTier } from "../../../src/documents/choices.js";
import { betaQuantile } from "../../../src/base/numbers/distributions.js";
import type { SeededRandom } from "../../../src/base/numbers/seeded-random.js";

/** Equally likely scores, ascending, each with its error chance in an ordinary workflow. */
export interface Scores {
  readonly values: readonly number[];
  readonly chances: readonly number[];
}

/** Scores of a beta distribution. */
export function scoresOf(a: number, b: number, chanceAt: (score: number) => number): Scores {
  const values = Array.from({ length: 250 }, (_, i) => betaQuantile((i + 0.5) / 250, a, b));
  return { values, chances: values.map(chanceAt) };
}

/** A share of a workflow's requests that get their scores in one way. */
export interface Component {
  /** Shares of the components of a workflow sum to 1. */
  readonly share: number;
  readonly scores: Scores;
  /** Added to the log odds of every score. */
  readonly shift: number;
  /** Multiplies the error chances, which are at most 1. */
  readonly factor: number;
}

/** A workflow or out-of-scope group. */
export interface WorkflowModel {
  readonly tier: RiskTier;
  readonly outOfScope: boolean;
  readonly requests: number;
  readonly components: readonly Component[];
}

const shifted = (score: number, shift: number): number =>
  shift === 0 ? score : 1 / (1 + ((1 - score) / score) * Math.exp(-shift));

/** One request: its score with 6 decimals, as confidences are compared, and whether its first candidate is wrong. */
export function drawRequest(random: SeededRandom, { components }: WorkflowModel) {
  let left = random.uniform();
  const component = components.find(({ share }) => {
    left -= share;
    return left < 0;
  });
  const { scores, shift, factor } = component ?? (components[0] as Component);
  const at = random.integer(0, scores.values.length - 1);
  const confidence = Math.round(1e6 * shifted(scores.values[at] as number, shift)) / 1e6;
  return { confidence, error: random.uniform() < Math.min(1, factor * (scores.chances[at] as number)) };
}

/** Shares of all requests, in [0, 1]: those that are routed, and those that are routed wrongly. */
export interface Rates {
  readonly routed: number;
  readonly wrong: number;
}

/** What a threshold does with the requests of one workflow. */
export function ratesOf({ components }: WorkflowModel, threshold: number): Rates {
  let [routed, wrong] = [0, 0];
  for (const { share, scores, shift, factor } of components) {
    const { values, chances } = scores;
    const bound = shifted(threshold, -shift);
    for (let i = values.length - 1; i >= 0 && (values[i] as number) >= bound; i -= 1) {
      routed += share / values.length;
      wrong += (share * Math.min(1, factor * (chances[i] as number))) / values.length;
    }
  }
  return { routed, wrong };
}
