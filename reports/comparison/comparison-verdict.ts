import { counted, formatCount } from "../../src/documents/number-text.js";
import type { Tone } from "../blocks.js";
import { measureLabels } from "../measure-labels.js";
import type { Comparison, PairedMeasure } from "../../src/documents/comparison.js";

/** The name of a measure within a sentence or a line. */
export const measureLabel = ({ name }: Pick<PairedMeasure, "name">): string => measureLabels[name].toLowerCase();

export interface ComparisonVerdict {
  readonly word: "B is better" | "A is better" | "mixed" | "equal" | "no difference shown";
  readonly tone: Tone;
  readonly sentence: string;
  readonly detail: string;
}

const listed = (measures: readonly PairedMeasure[]): string => measures.map(measureLabel).join("; ");

function wordOf(better: number, worse: number, flips: number): ComparisonVerdict["word"] {
  if (flips === 0) return "equal";
  if (better > 0 && worse > 0) return "mixed";
  if (better > 0) return "B is better";
  return worse > 0 ? "A is better" : "no difference shown";
}

const tones: Readonly<Record<ComparisonVerdict["word"], Tone>> = {
  "B is better": "pass",
  "A is better": "fail",
  mixed: "unsure",
  equal: "abstain",
  "no difference shown": "unsure",
};

/** Sums up the measures. A side counts as better at a measure only if the paired test shows it. */
export function comparisonVerdict({ measures, total, requests }: Comparison): ComparisonVerdict {
  const better = measures.filter(({ verdict }) => verdict === "b_better");
  const worse = measures.filter(({ verdict }) => verdict === "a_better");
  const open = measures.filter(({ verdict }) => verdict === "tied" || verdict === "not_shown");
  const word = wordOf(better.length, worse.length, total.flips);
  const shown = [
    ...(better.length === 0 ? [] : [`B is better in ${listed(better)}.`]),
    ...(worse.length === 0 ? [] : [`A is better in ${listed(worse)}.`]),
    ...(open.length === 0 ? [] : [`No measurable difference: ${listed(open)}.`]),
  ];
  return {
    word,
    tone: tones[word],
    sentence: total.flips === 0 ? "Both sides decide every request the same way." : shown.join(" "),
    detail:
      `${formatCount(total.flips)} of ${counted(requests, "request")} are decided differently: ` +
      `${formatCount(total.better)} better, ${formatCount(total.worse)} worse, ` +
      `${formatCount(total.flips - total.better - total.worse)} neither.`,
  };
}
