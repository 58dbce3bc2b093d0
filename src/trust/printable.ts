/**
 * Text that is safe to print: control, format, private and unassigned characters (zero-width, right-to-left marks,
 * lone surrogates) become `\u{...}`, so a name cannot disguise itself in a message.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}
