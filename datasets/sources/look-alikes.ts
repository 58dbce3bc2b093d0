import { groupBy } from "../../src/base/group-by.js";

/** Lists different labels that look the same. */
export function lookAlikes(labels: readonly string[]): readonly string[] {
  return [...groupBy(labels, shapeOf).values()]
    .filter((alike) => alike.length > 1)
    .map((alike) => {
      const spelled = alike.map((label) => `"${label}" (${codesOf(label)})`).join(" and ");
      return `${spelled} look the same but are different labels, so they become different workflows. Correct the source if they should be one.`;
    });
}

/** Cyrillic and Greek letters that look like Latin ones. Source: the common part of Unicode's confusables. */
const latin: Readonly<Record<string, string>> = {
  а: "a",
  в: "b",
  е: "e",
  һ: "h",
  і: "i",
  ј: "j",
  к: "k",
  м: "m",
  н: "h",
  о: "o",
  р: "p",
  с: "c",
  ѕ: "s",
  т: "t",
  у: "y",
  х: "x",
  ԁ: "d",
  ԛ: "q",
  ԝ: "w",
  α: "a",
  ι: "i",
  κ: "k",
  ν: "v",
  ο: "o",
  ρ: "p",
  τ: "t",
  υ: "u",
  χ: "x",
};

/**
 * The visual form of a label: without invisible characters and stylistic variants, and with look-alike letters replaced
 * by Latin ones.
 */
const shapeOf = (label: string): string =>
  senseOf(label)
    .normalize("NFKC")
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .replace(/\p{L}/gu, (letter) => latin[letter] ?? letter);

/** Lists the code points of a label that are not plain Latin, or states that all are. */
function codesOf(label: string): string {
  const odd = [...label].filter((sign) => !/[\x20-\x7e]/.test(sign));
  if (odd.length === 0) return "plain Latin";
  return odd.map((sign) => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`).join(" ");
}

const senseOf = (label: string): string => label.normalize("NFC").trim().replace(/\s+/gu, " ").toLowerCase();
