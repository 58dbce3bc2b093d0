import type { LeftOutReason } from "../../src/documents/choices.js";
import { isNamed, names, sureTexts } from "./names.js";
import { cleanText } from "./text-checks.js";
import { isJsonObject } from "./parse-json.js";

const maximumText = 8000;

/**
 * Trims a value to a request text, or returns the reason why it is not one.
 * @param clean  whether a text that is too long is cleaned first
 */
export function usableText(
  value: unknown,
  clean = false,
): { readonly text: string } | { readonly reason: LeftOutReason } {
  if (typeof value !== "string") return { reason: "not_text" };
  const trimmed = value.trim();
  if (trimmed === "") return { reason: "no_text" };
  const text = clean && trimmed.length > maximumText ? cleanText(trimmed) : trimmed;
  return text.length > maximumText ? { reason: "too_long" } : { text };
}

/** Keys whose value is a list of pieces of one text. */
const chunkKeys = ["data", "parts", "chunks", "segments", "content", "tokens"];

/** The text of a value that is a text, an object containing a text, or a text in pieces; otherwise the value itself. */
export function joinedText(value: unknown, depth = 0): unknown {
  if (depth > deepestPiece) return value;
  if (Array.isArray(value)) return value.some(isJsonObject) ? joinedPieces(value, depth + 1) : value;
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const chunks = entries.find(([key, inner]) => chunkKeys.includes(key.toLowerCase()) && Array.isArray(inner));
  if (chunks !== undefined) return joinedPieces(chunks[1] as readonly unknown[], depth + 1);
  const isTurn = entries.some(([key]) => isNamed(key, names.role));
  for (const name of [...sureTexts, "value", ...(isTurn ? [] : ["content", "example", "sample"])]) {
    const found = entries.find(([key, inner]) => isNamed(key, [name]) && typeof inner === "string");
    if (found !== undefined) return found[1];
  }
  return value;
}

/** Maximum nesting depth of pieces. */
const deepestPiece = 4;

function joinedPieces(pieces: readonly unknown[], depth: number): unknown {
  const texts = pieces.map((piece) => joinedText(piece, depth));
  return texts.every((text) => typeof text === "string") ? texts.join("") : pieces;
}

/** Whether `joinedText` finds a text in a value. */
export const isTextLike = (value: unknown): boolean => typeof joinedText(value) === "string";

/**
 * Removes slot markup from a phrase: `[Rome](city)`, `[Rome]{"entity": "city"}`, `{city=Rome}`, `{Rome|city}`,
 * `{city}`, `@[city]`, `@city` and `%city%`.
 */
export function withoutMarks(phrase: string): string {
  return withoutNestedMarks(phrase)
    .replace(/\[([^[\]]*)\](?:\([^()]*\)|\{[^{}]*\}|\[[^[\]]*\])/g, "$1")
    .replace(/\{([^{}|]+)\|[^{}|]*\}/g, "$1")
    .replace(/\{\{\[([^[\]]+)\]\.[^{}]*\}\}/g, (_, name: string) => words(name))
    .replace(/\{\{?@?([\w .:-]+)\}?\}/g, (_, name: string) => words(name))
    .replace(/[@~]\[([^[\]]+)\](?:\([^()]*\))?\??/g, (_, name: string) => words(name))
    .replace(/(?<=^|\s)@([A-Za-z]\w*)(?![\w.@])/g, (_, name: string) => words(name))
    .replace(/%([A-Za-z]\w*)%/g, (_, name: string) => words(name))
    .replace(/\s+/g, " ")
    .trim();
}

/** Maximum number of marks inside of one another: `{@song={@verb=play} {@name=thriller}}`. */
const deepestMark = 8;

function withoutNestedMarks(phrase: string): string {
  let text = phrase;
  for (let level = 0; level < deepestMark; level += 1) {
    const next = text.replace(/\{@?[\w .:-]+=([^{}=]*)\}/g, "$1");
    if (next === text) break;
    text = next;
  }
  return text;
}

/** The words of a slot name, e.g. "start time" for `start_time:city`. */
const words = (name: string): string =>
  name
    .replace(/[:#].*$/, "")
    .replaceAll(/[_.-]+/g, " ")
    .trim();

/** Rules that templates refer to as `<name>`. */
export type TemplateRules = ReadonlyMap<string, string>;

/** Maximum number of replacement rounds in a template, which stops rules that refer to themselves. */
const deepest = 60;

/**
 * Generates one sentence from a template: `(a|b)` is replaced by an alternative, `[a|b]` by an alternative or nothing,
 * and `<rule>` by the rule. `number` selects the alternative, so that neighbouring templates use different ones.
 */
export function fromTemplate(template: string, rules: TemplateRules, number: number): string {
  let text = template;
  for (let step = 0; step < deepest; step += 1) {
    const next = text
      .replace(/<([^<>]+)>/, (_, name: string) => rules.get(name) ?? words(name))
      .replace(/\(([^()[\]]*)\)/, (_, inside: string) => alternative(inside, number + step))
      .replace(/\[([^()[\]]*)\](?![({])/, (_, inside: string) =>
        (number + step) % 2 === 0 ? alternative(inside, number) : "",
      );
    if (next === text) break;
    text = next;
  }
  return withoutMarks(text);
}

function alternative(inside: string, number: number): string {
  const all = inside.split("|").map((one) => one.replace(/^[^:{}]*:(?=[^:]+:)/, ""));
  return all[number % all.length] ?? "";
}

export const isTemplate = (text: string): boolean => /\([^()|]*\|[^()]*\)|\[[^[\]()]+\](?![({[])|<\w+>/.test(text);
