import type { SourceText } from "./material.js";
import { shareOf } from "./text-checks.js";

/** Texts that are examined; more do not change the share. */
const examined = 1000;
/** Words below which a language is a guess. */
const fewestWords = 4;
/** Share of the texts in other languages from which it is worth a warning; that many English texts are mistaken for others. */
const leastShare = 0.05;

/**
 * Warns of texts in Latin script whose language is not English, which the shipped models read: with their
 * share, the commonest languages and three places.
 * @see ELD, an n-gram language detector
 */
export async function languageWarnings(texts: readonly SourceText[]): Promise<readonly string[]> {
  const { eld } = await import("eld/small");
  const step = Math.max(1, Math.floor(texts.length / examined));
  const sample = texts.filter(({ text }, index) => index % step === 0 && /^[^\u0370-\uffff]*$/.test(text));
  const long = sample.filter(({ text }) => (text.match(/\p{L}+/gu)?.length ?? 0) >= fewestWords);
  const tagged = long.map((text) => ({ text, found: eld.detect(text.text) }));
  const foreign = tagged.filter(({ found }) => found.language !== "en" && found.language !== "" && found.isReliable());
  if (foreign.length === 0 || foreign.length < leastShare * long.length) return [];
  const counts = new Map<string, number>();
  for (const { found } of foreign) counts.set(found.language, (counts.get(found.language) ?? 0) + 1);
  const commonest = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 3);
  const named = new Intl.DisplayNames(["en"], { type: "language" });
  const languages = commonest.map(([tag, count]) => `${named.of(tag) ?? tag} ${count}`).join(", ");
  const places = foreign.slice(0, 3).map(({ text }) => text.at);
  return [
    `${shareOf(foreign.length, long.length)} seem not to be in English (${languages}), which the shipped ` +
      `models read best: expect declined requests, or bring a model for it. For example: ${places.join(", ")}.`,
  ];
}
