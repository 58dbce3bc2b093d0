import { SluiceError } from "../../src/base/error.js";
import { deepestNesting, isTooDeep } from "../nesting.js";
import { repeatedField } from "../repeated-field.js";

/**
 * Parses JSON. @throws {SluiceError} DOCUMENT_INVALID  with the line, or the path of a duplicate field; never quotes the
 * text
 */
export function parseJsonText(file: string, text: string): unknown {
  const value = parsed(file, text);
  requireDepth(file, value);
  const twice = repeatedField(text);
  if (twice === null) return value;
  throw new SluiceError("DOCUMENT_INVALID", `${file}: the field ${twice} occurs twice in its object`, {
    hint: "Remove one of the two.",
  });
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const position =
      cause instanceof Error ? Number(/position (\d+)/.exec(cause.message)?.[1] ?? Number.NaN) : Number.NaN;
    const line = Number.isNaN(position) ? "" : `line ${text.slice(0, position).split("\n").length}: `;
    throw new SluiceError("DOCUMENT_INVALID", `${file}: ${line}not well-formed JSON`, {
      hint: "Export the file again, or correct this line.",
    });
  }
}

/** @throws {SluiceError} DOCUMENT_INVALID  a value is nested too deep */
export function requireDepth(file: string, root: unknown, perLevel = 1): void {
  if (!isTooDeep(root, perLevel)) return;
  throw new SluiceError("DOCUMENT_INVALID", `${file}: values are nested more than ${deepestNesting} deep`, {
    hint: "Use a file with only the requests.",
  });
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The list at a field; empty if there is none. */
export function listAt(value: unknown, field: string): readonly unknown[] {
  const found = isJsonObject(value) ? value[field] : undefined;
  return Array.isArray(found) ? found : [];
}

/** The text at a field; null if it is missing or blank. */
export function textAt(value: unknown, field: string): string | null {
  const found = isJsonObject(value) ? value[field] : undefined;
  return typeof found === "string" && found.trim() !== "" ? found.trim() : null;
}
