import type { LeftOutRow, ReadMaterial, SourceText } from "./material.js";

const maximumText = 8000;

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
    if (typeof text !== "string") leftOut.push({ file, at, reason: "not_text" });
    else if (text.trim() === "") leftOut.push({ file, at, reason: "no_text" });
    else if (text.length > maximumText) leftOut.push({ file, at, reason: "too_long" });
    else texts.push({ file, at, text: text.trim(), label, part: null });
  }
  return { texts, leftOut };
}
