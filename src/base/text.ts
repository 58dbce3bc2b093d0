/**
 * Makes text safe to print: control, format, private-use and unassigned characters (zero-width, right-to-left marks,
 * lone surrogates) become `\u{...}`, so that a name cannot disguise itself in a message.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The printed form of ids; every command accepts it. */
export const shortId = (sha256: string): string => sha256.slice(0, 12);

/**
 * Formats a time the way every document does: UTC, whole seconds (rounded down), ending in `Z`. `ms` since 1970 UTC.
 */
export function utcSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");
}

export const workflowText = (workflowId: string | null): string => workflowId ?? "(out of scope)";

/** At most `most` names, and how many more there are: "a, b and 3 more". */
export function namedSome(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return `${names.slice(0, most).join(", ")}${more}`;
}

/** Names of whom a number is needed: "bo and cy", or "two of bo, cy, dee". @param number  as a word or a numeral */
export const neededOf = (names: readonly string[], needed: number, number = String(needed)): string =>
  names.length === needed ? names.join(" and ") : `${number} of ${names.join(", ")}`;

/** A reason as it is shown; says so if none is given. */
export const statedReason = (reason: string | null | undefined): string => reason || "no reason is given";
