import type { Fold } from "../src/documents/choices.js";

/**
 * The fold that an evaluation shows. EVAL is replaced by CERTIFY if no request is in EVAL because all held-out requests
 * certify. Other folds are shown as requested.
 */
export function shownFold(records: readonly { readonly fold: Fold }[], asked: Fold | "all"): Fold | "all" {
  return asked === "eval" && records.length > 0 && !records.some(({ fold }) => fold === "eval") ? "certify" : asked;
}

/** The records of the shown fold; "all": every record. */
export function inShownFold<R extends { readonly fold: Fold }>(
  records: readonly R[],
  asked: Fold | "all",
): readonly R[] {
  const shown = shownFold(records, asked);
  return shown === "all" ? records : records.filter(({ fold }) => fold === shown);
}
