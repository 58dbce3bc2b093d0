/**
 * Text that is safe to print: control, format, private and unassigned characters (zero-width, right-to-left marks,
 * lone surrogates) become `\u{...}`, so a name cannot disguise itself in a message.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** How ids are printed; every command accepts this form. */
export const shortId = (sha256: string): string => sha256.slice(0, 12);

/** A time as every document writes it: UTC, whole seconds (rounded down), ended by `Z`. `ms` since 1970 UTC. */
export function utcSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");
}

/** Name in lists for requests without a right workflow. */
export const workflowText = (workflowId: string | null): string => workflowId ?? "(out of scope)";
