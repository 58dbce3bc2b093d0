import { groupBy } from "../../src/stats/group-by.js";
import type { SourceText } from "./material.js";

/**
 * Merges labels that differ only in case and white space, as in hand-typed tables, into the most frequent spelling;
 * the first on ties.
 */
export function settleLabels(found: readonly SourceText[]): {
  readonly texts: readonly SourceText[];
  readonly decisions: readonly string[];
} {
  const labels = found.flatMap(({ label }) => (label === null ? [] : [label]));
  const bySense = groupBy(labels, senseOf);
  const chosen = new Map([...bySense].map(([sense, spellings]) => [sense, mostFrequent(spellings)]));
  const merged = [...bySense].filter(([, spellings]) => new Set(spellings).size > 1);
  return {
    texts: found.map((text) =>
      text.label === null ? text : { ...text, label: chosen.get(senseOf(text.label)) ?? text.label },
    ),
    decisions: merged.map(([sense, spellings]) => {
      const others = [...new Set(spellings)].filter((spelling) => spelling !== chosen.get(sense));
      return `"${chosen.get(sense) ?? ""}" is also written ${others.map((other) => `"${other}"`).join(", ")}: one workflow.`;
    }),
  };
}

const senseOf = (label: string): string => label.normalize("NFC").trim().replace(/\s+/gu, " ").toLowerCase();

function mostFrequent(spellings: readonly string[]): string {
  const counted = [...groupBy(spellings, (spelling) => spelling)];
  return counted.reduce((best, next) => (next[1].length > best[1].length ? next : best))[0];
}
