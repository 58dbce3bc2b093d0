import type { LabelledRequest } from "../src/documents/dataset.js";
import { nearDuplicates } from "./near-duplicates.js";

/** Maximum length of a displayed path, in characters. */
const longestPath = 120;

interface Level {
  /** Names of an object read so far; null for a list. */
  readonly names: Set<string> | null;
  /** Name or index of the value being read. */
  at: string | number;
}

/**
 * Path of the first duplicate field of an object in a well-formed JSON text, e.g. `/intents/0/text`; null if there is
 * none. A parser would silently use the last one.
 */
export function repeatedField(text: string): string | null {
  const open: Level[] = [];
  let expectsName = false;
  for (const [sign, begin, end] of signsOf(text)) {
    const top = open.at(-1);
    if (sign === '"' && expectsName && top?.names) {
      top.at = JSON.parse(text.slice(begin, end)) as string;
      if (top.names.has(top.at)) return `/${open.map(({ at }) => at).join("/")}`.slice(0, longestPath);
      top.names.add(top.at);
    }
    step(sign, open);
    expectsName = (sign === "{" || sign === ",") && open.at(-1)?.names instanceof Set;
  }
  return null;
}

/** Opens or closes a level, or advances to the next list item. */
function step(sign: string, open: Level[]): void {
  const top = open.at(-1);
  if (sign === "{") open.push({ names: new Set(), at: "" });
  else if (sign === "[") open.push({ names: null, at: 0 });
  else if (sign === "}" || sign === "]") open.pop();
  else if (sign === "," && typeof top?.at === "number") top.at += 1;
}

/** Strings, brackets and commas of a JSON text, with their start and end positions. */
function* signsOf(text: string): Iterable<readonly [string, number, number]> {
  for (let index = 0; index < text.length; index += 1) {
    const sign = text.charAt(index);
    if (!'"{}[],'.includes(sign)) continue;
    const end = sign === '"' ? endOfString(text, index) : index + 1;
    yield [sign, index, end];
    index = end - 1;
  }
}

/** Position after the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let index = from + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index + 1;
}

/**
 * Removes near-duplicates of earlier remaining rows, regardless of label; keeps the order. Needed if many workflows
 * share stock phrases: near-duplicates must stay in one fold and would join all of these workflows.
 */
export function dropRepeated(rows: readonly LabelledRequest[]): readonly LabelledRequest[] {
  const dropped = new Set<number>();
  for (const { first, second } of nearDuplicates(rows.map((row) => row.text))) {
    if (!dropped.has(first)) dropped.add(second);
  }
  // Without the dropped rows, buckets have different first rows, which can reveal further pairs.
  return dropped.size === 0 ? rows : dropRepeated(rows.filter((_, index) => !dropped.has(index)));
}
