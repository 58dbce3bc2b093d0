import type { LeftOutRow, ReadMaterial, SourceText } from "./material.js";
import { usableText } from "./usable-text.js";

/** A text as a reader found it. */
export interface FoundText {
  readonly file: string;
  readonly at: string;
  readonly text: unknown;
  readonly label: string | null;
}

/** Splits found texts into usable ones and those that are left out with the reason. */
export function collectTexts(found: readonly FoundText[]): Pick<ReadMaterial, "texts" | "leftOut"> {
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = [];
  for (const { file, at, text, label } of found) {
    const read = usableText(text);
    if ("reason" in read) leftOut.push({ file, at, reason: read.reason });
    else texts.push({ file, at, text: read.text, label, part: null });
  }
  return { texts, leftOut };
}
