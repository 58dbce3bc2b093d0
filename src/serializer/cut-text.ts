/** Between the items of a list. */
const separator = "; ";

/** A text that fits, and whether something was left out of it. */
export interface FittedText {
  readonly text: string;
  readonly cut: boolean;
}

/**
 * At most `budget` characters (UTF-16 units) of a text. Ends between words where that uses at least half of the
 * budget, and never inside a character.
 */
export function cutText(text: string, budget: number): string {
  if (text.length <= budget) return text;
  const head = text.slice(0, budget);
  const lastSpace = text[budget] === " " ? budget : head.lastIndexOf(" ");
  if (lastSpace > 0 && 2 * lastSpace >= budget) return head.slice(0, lastSpace);
  return head.replace(/[\uD800-\uDBFF]$/, "");
}

/** As many whole items in order as fit; the first item that does not fit ends the list. */
export function firstItems(items: readonly string[], budget: number): FittedText {
  let text = "";
  for (const item of items) {
    const longer = text === "" ? item : text + separator + item;
    if (longer.length > budget) return { text: text === "" ? cutText(item, budget) : text, cut: true };
    text = longer;
  }
  return { text, cut: false };
}

/** Every item in order; where they do not all fit, long items are cut to an equal share. */
export function equalShares(items: readonly string[], budget: number): FittedText {
  const whole = items.join(separator);
  if (whole.length <= budget) return { text: whole, cut: false };
  const share = largestShare(
    items.map((item) => item.length),
    budget - separator.length * (items.length - 1),
  );
  const shortened = items.map((item) => cutText(item, share)).filter((item) => item !== "");
  return { text: shortened.join(separator), cut: true };
}

/** The largest s for which the sum of min(length, s) is at most `budget`; at least 0. */
export function largestShare(lengths: readonly number[], budget: number): number {
  let left = budget;
  let share = 0;
  for (const [index, length] of lengths.toSorted((a, b) => a - b).entries()) {
    share = Math.floor(left / (lengths.length - index));
    if (length > share) break;
    left -= length;
  }
  return Math.max(0, share);
}
