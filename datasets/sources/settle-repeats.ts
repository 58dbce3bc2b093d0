import { normaliseText } from "../normalise-text.js";
import type { LeftOutRow, SourceText } from "./material.js";

/**
 * Uses the first of several texts that differ only in case, punctuation and white space. Where such texts have
 * different labels, the right one is unknown, so all of them are left out.
 */
export function settleRepeats(found: readonly SourceText[]): {
  readonly texts: readonly SourceText[];
  readonly leftOut: readonly LeftOutRow[];
} {
  const labelsOf = new Map<string, Set<string | null>>();
  for (const { text, label } of found) {
    const key = keyOf(text);
    labelsOf.set(key, (labelsOf.get(key) ?? new Set()).add(label));
  }
  const seen = new Set<string>();
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = [];
  for (const text of found) {
    const key = keyOf(text.text);
    const { file, at } = text;
    if ((labelsOf.get(key)?.size ?? 0) > 1) leftOut.push({ file, at, reason: "two_labels" });
    else if (seen.has(key)) leftOut.push({ file, at, reason: "repeated" });
    else texts.push(text);
    seen.add(key);
  }
  return { texts, leftOut };
}

/** Texts without letters or digits are compared verbatim. */
function keyOf(text: string): string {
  const plain = normaliseText(text);
  return plain === "" ? text : plain;
}
