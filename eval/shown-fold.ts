import type { Fold } from "../src/documents/choices.js";

/**
 * The fold that an evaluation of held-out requests shows: EVAL, or CERTIFY where no request is held out because every
 * text certifies. Other folds are shown as asked.
 */
export function shownFold(records: readonly { readonly fold: Fold }[], asked: Fold | "all"): Fold | "all" {
  return asked === "eval" && records.length > 0 && !records.some(({ fold }) => fold === "eval") ? "certify" : asked;
}

/** The records of the fold that is shown; "all": every one. */
export function inShownFold<R extends { readonly fold: Fold }>(
  records: readonly R[],
  asked: Fold | "all",
): readonly R[] {
  const shown = shownFold(records, asked);
  return shown === "all" ? records : records.filter(({ fold }) => fold === shown);
}
