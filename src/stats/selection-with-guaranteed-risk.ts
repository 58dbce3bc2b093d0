import { clopperPearsonUpper } from "./clopper-pearson.js";

/** A request that could be accepted: its score and whether accepting it would be an error. */
export interface RankedOutcome {
  readonly score: number;
  readonly error: boolean;
}

/** One visited threshold. */
export interface SelectionStep {
  readonly threshold: number;
  readonly accepted: number;
  readonly errors: number;
  readonly bound: number;
}

/**
 * Selection with guaranteed risk (Geifman and El-Yaniv, arXiv 1705.08500): a binary search over the distinct scores,
 * each step bounded at d / steps. It assumes independent outcomes and a risk that falls with the threshold; it is here
 * to compare with, not to certify.
 *
 * @returns  `best`: the loosest visited threshold whose bound is at most `target`, null when there is none
 */
export function selectionWithGuaranteedRisk(
  outcomes: readonly RankedOutcome[],
  target: number,
  d: number,
): { readonly best: SelectionStep | null; readonly trace: readonly SelectionStep[] } {
  const scores = [...new Set(outcomes.map((outcome) => outcome.score))].toSorted((a, b) => a - b);
  const steps = Math.ceil(Math.log2(scores.length));
  const trace: SelectionStep[] = [];
  let best: SelectionStep | null = null;
  let [low, high] = [0, scores.length - 1];
  for (let step = 0; step < steps && low < high; step += 1) {
    const middle = Math.floor((low + high + 1) / 2);
    const threshold = scores[middle] as number;
    const routed = outcomes.filter((outcome) => outcome.score >= threshold);
    const errors = routed.filter((outcome) => outcome.error).length;
    const bound = clopperPearsonUpper(errors, routed.length, d / steps);
    const visited = { threshold, accepted: routed.length, errors, bound };
    trace.push(visited);
    if (bound <= target) {
      if (best === null || threshold < best.threshold) best = visited;
      high = middle - 1;
    } else low = middle;
  }
  return { best, trace };
}
