import { counted } from "../../src/documents/number-text.js";
import { namedSome } from "./labels.js";
import type { SourceText } from "./parsed-source.js";

const htmlTag =
  /<\/?(?:p|div|br|span|html|body|head|a|table|tr|td|th|b|i|u|em|strong|ul|ol|li|style|img|font|h[1-6])\b[^<>]*>/i;
/** Start of the earlier emails of a thread. */
const threadStart =
  /^(?:On .{5,120} wrote:|Am .{5,120} schrieb.{0,80}:|Le .{5,120} a écrit\s*:|El .{5,120} escribió:|-{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d'origine)\b.*|_{10,}|From: .+|Von: .+)$/m;
const quotedLine = /^\s*>.*$/gm;
const signatureStart = /^(?:-- ?|Sent from my .{2,40}|Von meinem .{2,40} gesendet)$/m;
/** Closing words above the name at the end of an email. */
const closing =
  /^(?:(?:best|kind|warm)\s+(?:regards|wishes)|regards|cheers|sincerely|mit freundlichen grüßen|viele grüße|cordialement|saludos)[,.!]?\s*$/im;

/** Maximum number of lines of a signature below the closing. */
const mostSignatureLines = 6;

/** Removes quoted emails and signatures; returns the text unchanged if nothing would be left. */
function withoutThread(text: string): string {
  let kept = text;
  for (const start of [threadStart, signatureStart]) {
    const found = start.exec(kept);
    if (found !== null) kept = kept.slice(0, found.index);
  }
  kept = kept.replace(quotedLine, "").trimEnd();
  const end = closing.exec(kept);
  if (end !== null && kept.slice(end.index).split("\n").length <= mostSignatureLines) kept = kept.slice(0, end.index);
  const plain = kept.replace(/\n{3,}/g, "\n\n").trim();
  return plain === "" ? text : plain;
}

const entities: Readonly<Record<string, string>> = { nbsp: " ", amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Removes HTML markup; returns the text unchanged if nothing would be left. */
function withoutHtml(text: string): string {
  if (!htmlTag.test(text)) return text;
  const plain = text
    .replace(/<(style|script)\b[^]*?<\/\1>/gi, " ")
    .replace(/<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6])\b[^<>]*>/gi, "\n")
    .replace(/<[^<>]*>/g, " ")
    .replace(/&(nbsp|amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? " ")
    .replace(/&#(\d{1,7});/g, (all, code: string) =>
      Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : all,
    )
    .replace(/[ \t]+/g, " ")
    .replace(/ ?\n\s*/g, "\n")
    .trim();
  return plain === "" ? text : plain;
}

/** Cleans a text: removes HTML markup, quoted emails and signatures. */
export const cleanText = (text: string): string => withoutThread(withoutHtml(text));

/** Minimum number of lines of a text that is probably more than one request. */
const manyLines = 8;

/** Scripts that the shipped models do not support, with their names. */
const scripts = [
  "Han",
  "Hiragana",
  "Katakana",
  "Hangul",
  "Cyrillic",
  "Arabic",
  "Hebrew",
  "Devanagari",
  "Greek",
  "Thai",
  "Bengali",
  "Tamil",
  "Telugu",
  "Georgian",
  "Armenian",
] as const;
const scriptPatterns = scripts.map((script) => [script, new RegExp(`\\p{Script=${script}}`, "gu")] as const);

/** The non-Latin script of most letters of a text; null for a text in Latin script. */
export function otherScript(text: string): string | null {
  // Code points below Greek belong to none of these scripts.
  if (!/[\u0370-\uffff]/.test(text)) return null;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const found = scriptPatterns.find(([, pattern]) => (text.match(pattern)?.length ?? 0) * 2 > letters);
  return letters === 0 ? null : (found?.[0] ?? null);
}

type PlacedText = Pick<SourceText, "at" | "text">;

/** Formats a share, e.g. `3 of 12 texts (25 %)`. */
export const shareOf = (count: number, all: number): string =>
  `${count} of ${counted(all, "text")} (${Math.round((100 * count) / all)} %)`;

/** Minimum share of texts of a kind that causes a warning. */
const leastShare = 0.02;
/** Number of positions listed in a warning. */
const namedPlaces = 3;

/**
 * Warns of texts that do not look like user requests: by kind, with their share and three positions. Scripts and
 * lengths are always checked; traces of emails and HTML only appear if the texts were not cleaned.
 */
export function textWarnings(texts: readonly PlacedText[]): readonly string[] {
  const said = (
    fits: (text: string) => boolean,
    sentence: (share: string, found: readonly PlacedText[]) => string,
  ): readonly string[] => {
    const found = texts.filter(({ text }) => fits(text));
    if (found.length === 0 || found.length < leastShare * texts.length) return [];
    const share = shareOf(found.length, texts.length);
    const places = namedSome(found.slice(0, namedPlaces).map(({ at }) => at));
    return [`${sentence(share, found)} For example: ${places}.`];
  };
  const scripted = scripts.flatMap((script) =>
    said(
      (text) => otherScript(text) === script,
      (share) =>
        `${share} contain ${script} script, which the shipped models do not read: expect declined requests, or bring a model that does.`,
    ),
  );
  return [
    ...scripted,
    ...said(
      (text) => htmlTag.test(text),
      (share) => `${share} with HTML, whose tags are learned as words: init --clean removes them.`,
    ),
    ...said(
      (text) => withoutThread(text) !== text,
      (share, found) =>
        `${share} contain quoted emails or signatures (${cutShare(found)} % of their characters): init --clean removes them.`,
    ),
    ...said(
      (text) => withoutThread(text).split("\n").length >= manyLines,
      (share) => `${share} have ${manyLines} lines or more, too many for one request: write one request in each row.`,
    ),
  ];
}

function cutShare(texts: readonly PlacedText[]): number {
  const all = texts.reduce((sum, { text }) => sum + text.length, 0);
  const kept = texts.reduce((sum, { text }) => sum + withoutThread(text).length, 0);
  return Math.round((100 * (all - kept)) / Math.max(1, all));
}
