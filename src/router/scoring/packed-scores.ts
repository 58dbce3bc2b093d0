import type { PackedScores } from "../../inference/protocol.js";
import type { TextScores } from "../../documents/text-scores.js";

const labels = 3;
/** Number of values before the lists: their lengths, truncation counts and times. */
const headLength = 10;

/**
 * Packs the scores of a text into numbers, because a message of objects costs more than scoring. @param patterns
 * patterns of the catalog
 */
export function packScores(scores: TextScores, patterns: readonly string[]): PackedScores {
  const { positions, retrievalScores, logits, ranking, textCut, pairsCut, tookMs, closing, newWish } = scores;
  const numbersOf = (wanted: ReadonlySet<string>): readonly number[] =>
    wanted.size === 0 ? [] : [...patterns.keys()].filter((number) => wanted.has(patterns[number] ?? ""));
  const absent = numbersOf(scores.patterns.absent);
  const timedOut = numbersOf(scores.patterns.timedOut);
  const { length } = positions;
  const numbers = new Float64Array(
    headLength + (2 + labels) * length + ranking.length + absent.length + timedOut.length,
  );
  numbers.set([length, ranking.length, absent.length, timedOut.length]);
  const turn = [closing ?? Number.NaN, newWish ?? Number.NaN];
  numbers.set([textCut ? 1 : 0, pairsCut, tookMs.verify, tookMs.resolve, ...turn], 4);
  let at = headLength;
  const put = (list: readonly number[]): void => {
    numbers.set(list, at);
    at += list.length;
  };
  for (const list of [positions, retrievalScores]) put(list);
  for (const { mismatch, needs_input: needsInput, executable } of logits) put([mismatch, needsInput, executable]);
  for (const list of [ranking, absent, timedOut]) put(list);
  return { numbers, features: scores.features, encoded: scores.encoded };
}

/** Reads the output of `packScores` for the same patterns. */
export function unpackScores({ numbers, features, encoded }: PackedScores, patterns: readonly string[]): TextScores {
  const [length = 0, ranks = 0, absent = 0, timedOut = 0, textCut = 0, pairsCut = 0, verify = 0, resolve = 0] = numbers;
  const oddsAt = (index: number): number | null => {
    const odds = numbers[index] ?? Number.NaN;
    return Number.isNaN(odds) ? null : odds;
  };
  let at = headLength;
  const take = (count: number): readonly number[] => {
    at += count;
    return Array.from(numbers.subarray(at - count, at));
  };
  const positions = take(length);
  const retrievalScores = take(length);
  const logits = positions.map(() => {
    const [mismatch = 0, needs_input = 0, executable = 0] = take(labels);
    return { mismatch, needs_input, executable };
  });
  const ranking = take(ranks);
  const named = (count: number): ReadonlySet<string> => new Set(take(count).map((number) => patterns[number] ?? ""));
  return {
    positions,
    retrievalScores,
    logits,
    features,
    closing: oddsAt(8),
    newWish: oddsAt(9),
    encoded,
    ranking,
    patterns: { absent: named(absent), timedOut: named(timedOut) },
    textCut: textCut === 1,
    pairsCut,
    tookMs: { verify, resolve },
  };
}
