import type { LeftOutReason } from "./material.js";

const maximumText = 8000;

/** A value as a request text without surrounding white space, or why it is not one. */
export function usableText(value: unknown): { readonly text: string } | { readonly reason: LeftOutReason } {
  if (typeof value !== "string") return { reason: "not_text" };
  const text = value.trim();
  if (text === "") return { reason: "no_text" };
  return value.length > maximumText ? { reason: "too_long" } : { text };
}
