import { groupBy } from "../../../src/base/group-by.js";

/** Share of the rows above which a word says nothing about one of them. */
const commonShare = 0.1;

/**
 * How far the words of texts predict the values next to them: 1 if rows with a rare word in common always have the same
 * value, 0 if they have it no more often than any two rows. The workflow of a request is predicted; who took it or when
 * is not. null without rows that share a rare word.
 */
export function explainedByText(texts: readonly string[], values: readonly string[]): number | null {
  const rows = texts.flatMap((text, index) => {
    const value = values[index] ?? "";
    return text === "" || value === "" ? [] : [{ words: new Set(text.toLowerCase().match(/\p{L}{2,}/gu)), value }];
  });
  const byWord = groupBy(
    rows.flatMap(({ words, value }) => [...words].map((word) => ({ word, value }))),
    ({ word }) => word,
  );
  const groups = [...byWord.values()].filter(
    (own) => own.length > 1 && own.length <= Math.max(2, commonShare * rows.length),
  );
  const shared = sum(groups.map(({ length }) => length));
  const chance = sameShare(rows);
  if (shared === 0 || chance === 1) return null;
  // Each row counts once for a word, so that common words do not outweigh the telling ones.
  return (sum(groups.map((own) => own.length * sameShare(own))) / shared - chance) / (1 - chance);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const pairsOf = (count: number): number => (count * (count - 1)) / 2;

/** Share of the pairs of rows that have the same value. */
const sameShare = (rows: readonly { readonly value: string }[]): number =>
  sum([...groupBy(rows, ({ value }) => value).values()].map(({ length }) => pairsOf(length))) / pairsOf(rows.length);
