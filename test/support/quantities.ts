/** Reads counts, intervals and limits out of what people and programs see, so that a test can compare them. */

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };

/** The text of an HTML page: a line for each block, with "|" after each name and each cell. */
export function textOfHtml(page: string): string {
  return page
    .replaceAll(/<(script|style|svg)\b.*?<\/\1>/gsu, "")
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/<\/(td|th|dt)>/gu, " | ")
    .replaceAll(/<\/?(tr|p|li|div|dl|h\d|summary|caption|section|article|pre)\b[^>]*>/gu, "\n")
    .replaceAll(/<[^>]*>/gu, "")
    .replaceAll(/&(#?\w+);/gu, (whole, name: string) => entities[name] ?? whole);
}

/** The sentences of a JSON document, those with a label after it, a line each. */
export function textOfJson(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  if ("label" in value && "text" in value) return `${String(value.label)} | ${String(value.text)}`;
  return Object.values(value).map(textOfJson).join("\n");
}

/** Intervals and limits of rates with these counts, in any cell. */
export function limitsOf(text: string, [k, n]: readonly [k: string, n: string]): readonly string[] {
  const rate = /([\d,]+) ?\/ ?([\d,]+)(?: =)? +[\d.]+%,? +(\[[^\]]+\]|limit [\d.]+%)/gu;
  return [...text.matchAll(rate)].flatMap(([, own, of, limit = ""]) => (own === k && of === n ? [limit] : []));
}

export interface NamedRate {
  readonly name: string;
  /** For example "5/134 [1.17%, 8.68%]", or "5/134" without limits. */
  readonly value: string;
}

/** Rates of lines that show one, by the first cell. */
export function ratesOf(text: string): readonly NamedRate[] {
  return text.split("\n").flatMap((line) => {
    const found = [...line.matchAll(/([\d,]+) ?\/ ?([\d,]+)(?: =)? +[\d.]+%(?:,? +(\[[^\]]+\]|limit [\d.]+%))?/gu)];
    const [first, second] = found;
    if (first === undefined || second !== undefined) return [];
    const [, k = "", n = "", interval = ""] = first;
    const name =
      line
        .slice(0, first.index)
        .split("|")
        .find((cell) => cell.trim() !== "") ?? "";
    return [
      {
        name: name
          .replaceAll(/[↑↓:]|\(.*?\)/gu, "")
          .trim()
          .toLowerCase(),
        value: `${k}/${n} ${interval}`.trim(),
      },
    ];
  });
}
