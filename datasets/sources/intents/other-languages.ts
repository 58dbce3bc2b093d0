import { groupBy } from "../../../src/stats/group-by.js";

/** Counts the phrases of an agent in languages that were not read. */
export function otherLanguages<T extends { readonly language: string }>(
  files: readonly T[],
  language: string,
  phrasesIn: (file: T) => number,
): readonly string[] {
  const others = groupBy(
    files.filter((file) => file.language !== language),
    (file) => file.language,
  );
  if (others.size === 0) return [];
  const counts = [...others].map(([other, own]) => {
    const count = own.reduce((sum, file) => sum + phrasesIn(file), 0);
    return `${other} (${count})`;
  });
  return [`Phrases in ${counts.join(", ")} were skipped; --language selects another language.`];
}
