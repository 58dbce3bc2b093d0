import { command, say, type Text } from "../../src/base/error.js";
import { personalDataIn } from "../audit/row-checks.js";
import { decodedXml } from "./files/read-xml.js";
import { namedFew } from "./labels.js";
import type { SourceText } from "./parsed-source.js";
import { shareOf } from "./share-of.js";

const htmlTag =
  /<\/?(?:p|div|br|span|html|body|head|a|table|tr|td|th|b|i|u|em|strong|ul|ol|li|style|img|font|h[1-6])\b[^<>]*>/i;
const threadStart =
  /^(?:On .{5,120} wrote:|Am .{5,120} schrieb.{0,80}:|Le .{5,120} a écrit\s*:|El .{5,120} escribió:|-{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d'origine)\b.*|_{10,}|From: .+|Von: .+)$/m;
const quotedLine = /^[^\S\n]*>.*$/gm;
const signatureStart = /^(?:-- ?|sent from my .{2,40}|von meinem .{2,40} gesendet)$/im;
const closing =
  /^(?:(?:best|kind|kindest|warm|warmest|many)\s+(?:regards|wishes)|(?:with )?(?:best |kind )?regards|cheers|(?:yours )?(?:sincerely|faithfully|truly)|mit freundlichen gr(?:ü|ue)(?:ß|ss)en|(?:viele|beste|liebe|herzliche) gr(?:ü|ue)(?:ß|ss)e|cordialement|bien à vous|(?:un )?saludos?|cordiali saluti|atenciosamente)[ \t]*[,.!]?\s*$/i;
/** A line of thanks or of initials, which closes an email only above a name. */
const thanks =
  /^(?:(?:many |kind )?thanks(?: (?:again|a lot|in advance|so much))?|thank you(?: (?:again|very much|so much|in advance))?|thx|best|br|kr|rgds|all the best|mfg|lg|vg|(?:vielen |besten )?dank(?: im voraus)?|danke|merci(?: d'avance)?|(?:muchas )?gracias|grazie|obrigad[oa])[ \t]*[,.!]?\s*$/i;

/** Maximum number of filled lines below a closing. */
const mostSignatureLines = 5;
/** Maximum number of filled lines below thanks, and of characters of one. */
const mostLinesBelowThanks = 3;
const longestSignatureLine = 40;

/** A name: capitalised words, initials, or particles between them. */
const nameLine =
  /^(?:\p{Lu}[\p{L}\p{M}'’.-]*)(?:[ \t]+(?:(?:de|del|della|da|di|van|von|der|den|la|le|el|bin|al|and|und|&)[ \t]+)*\p{Lu}[\p{L}\p{M}'’.-]*){0,3}$/u;
/** A line below a closing that is a request, not a signature. */
const asksMore = /\?$|^p\.? ?s\b/i;
const greeting =
  /^(?:hi|hello|hey|dear|hallo|guten|good (?:morning|day|afternoon|evening)|liebe|sehr geehrte|bonjour|hola|ciao|moin)\b[^\n?]{0,40}$/gim;

/** Number of lines of a text without its closing and the name below it; all lines if it does not end with them. */
function linesAboveClosing(lines: readonly string[]): number {
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return last > 0 && isClosingWithName(lines[last] ?? "") ? last : linesAboveName(lines);
}

/** The same for a closing whose name is below it. */
function linesAboveName(lines: readonly string[]): number {
  const at = lines.findLastIndex((line) => closing.test(line.trim()) || thanks.test(line.trim()));
  if (at < 0) return lines.length;
  const below = lines.slice(at + 1).flatMap((line) => line.trim() || []);
  if (below.some((line) => asksMore.test(line))) return lines.length;
  if (closing.test((lines[at] ?? "").trim())) return below.length <= mostSignatureLines ? at : lines.length;
  const isSignature =
    below.length > 0 &&
    below.length <= mostLinesBelowThanks &&
    nameLine.test(below[0] ?? "") &&
    below.every((line) => line.length <= longestSignatureLine && !/[?!]|\.$/.test(line));
  return isSignature ? at : lines.length;
}

/** Whether a line is a closing and a name, such as "Kind regards, Ann". */
function isClosingWithName(line: string): boolean {
  const [, words = "", name = ""] = /^([^,]{2,30}),[ \t]*(\S.*)$/.exec(line.trim()) ?? [];
  return (closing.test(words) || thanks.test(words)) && name.length <= longestSignatureLine && nameLine.test(name);
}

/** Removes quoted emails and signatures; returns the text unchanged if nothing but a greeting would be left. */
function withoutThread(text: string): string {
  let kept = text;
  for (const start of [threadStart, signatureStart]) {
    const found = start.exec(kept);
    if (found !== null) kept = kept.slice(0, found.index);
  }
  const lines = kept.replace(quotedLine, "").trimEnd().split("\n");
  const plain = withoutGaps(lines.slice(0, linesAboveClosing(lines)).join("\n"));
  if (plain.replace(greeting, "").trim() === "") return text;
  return plain === withoutGaps(text) ? text : plain;
}

const withoutGaps = (text: string): string => text.replace(/\n{3,}/g, "\n\n").trim();

/** Removes whole elements with their content; an element without an end stays. */
function withoutElements(text: string, names: readonly string[]): string {
  return names.reduce((kept, name) => {
    const [first = "", ...others] = kept.split(new RegExp(`<${name}\\b`, "i"));
    const end = new RegExp(`</${name}>`, "i");
    return others.reduce((all, part) => {
      const found = end.exec(part);
      return found === null ? `${all}<${name}${part}` : `${all} ${part.slice(found.index + found[0].length)}`;
    }, first);
  }, text);
}

/** Removes HTML markup; returns the text unchanged if nothing would be left. */
function withoutHtml(text: string): string {
  if (!htmlTag.test(text)) return text;
  const plain = withoutElements(text, ["style", "script"])
    .replace(/<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6])\b[^<>]*>/gi, "\n")
    .replace(/<[^<>]*>/g, " ")
    .replace(/[ \t]+/g, " ")
    .replace(/ ?\n\s*/g, "\n")
    .trim();
  return plain === "" ? text : decodedXml(plain);
}

/** Cleans a text: removes HTML markup, quoted emails and signatures. */
export const cleanText = (text: string): string => withoutThread(withoutHtml(text));

/** Minimum number of lines of a text that is probably more than one request. */
const manyLines = 8;

/** Whether half of the letters of a text are those that other encodings become in Windows-1252. */
function isMisread(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters > 8 && (text.match(/[\u00a0-\u00ff]/g)?.length ?? 0) * 2 > letters;
}

/** A date or a time of day at the beginning of a text, as a log of a chat has it. */
const timeStamp = /^[[(]?(?:\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}|\d\d?:\d\d(?::\d\d)?[\])])/;

type PlacedText = Pick<SourceText, "at" | "text">;

/** Minimum share of texts of a kind that causes a warning. */
const leastShare = 0.02;
/** Number of positions listed in a warning. */
const namedPlaces = 3;

/**
 * Warns of texts that do not look like user requests: by kind, with their share and three positions. Lengths
 * are always checked; traces of emails and HTML only appear if the texts were not cleaned.
 */
export function textWarnings(texts: readonly PlacedText[]): readonly Text[] {
  const said = (
    fits: (text: string) => boolean,
    sentence: (share: string) => string,
    advice: Text = "",
  ): readonly Text[] => {
    const found = texts.filter(({ text }) => fits(text));
    if (found.length === 0 || found.length < leastShare * texts.length) return [];
    const share = shareOf(found.length, texts.length);
    const places = namedFew(found.slice(0, namedPlaces).map(({ at }) => at));
    return [say`${sentence(share)} For example: ${places}.${advice}`];
  };
  return [
    ...said(
      (text) => htmlTag.test(text),
      (share) => `${share} contain HTML, whose tags are learned as words.`,
      toClean,
    ),
    ...said(
      (text) => withoutThread(text) !== text,
      (share) => `${share} contain quoted emails or signatures.`,
      toClean,
    ),
    ...said(
      (text) => isMisread(text),
      (share) => `${share} consist mostly of accented letters, as text does that was read in a wrong encoding.`,
      say` To name the right one: ${command`sluice init FILE --encoding NAME`}`,
    ),
    ...said(
      (text) => timeStamp.test(text),
      (share) => `${share} begin with a time stamp, which is learned as words: remove it from the texts.`,
    ),
    ...said(
      (text) => personalDataIn(text).size > 0,
      (share) =>
        `${share} seem to contain an email address, phone number, IBAN or card number; the audit of a run asks you to accept that.`,
    ),
    ...said(
      (text) => filledLines(withoutThread(text)) >= manyLines,
      (share) => `${share} have ${manyLines} lines or more, too many for one request: write one request in each row.`,
    ),
  ];
}

const toClean = say` To remove them: ${command`sluice init FILE --clean`}`;

const filledLines = (text: string): number => text.split("\n").filter((line) => line.trim() !== "").length;
