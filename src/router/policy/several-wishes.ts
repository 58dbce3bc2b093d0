import { RE2JS } from "re2js";
import { type SeveralWishes, type WishColumn, wishColumns } from "../../documents/several-wishes.js";
import { refusal } from "./negation.js";

/** The place where a text may change from one wish to another. */
export interface Boundary {
  readonly left: string;
  readonly right: string;
  readonly announced: boolean;
  readonly kind: "sentence" | "word" | "comma";
  readonly rightOpens: boolean;
  readonly leftOpens: boolean;
}

/** The best workflows for a text, best first. */
export interface BestWorkflows {
  readonly ids: readonly string[];
  readonly scores: readonly number[];
}

export interface SidesOfText {
  readonly text: string;
  readonly boundary: Boundary;
  readonly left: BestWorkflows;
  readonly right: BestWorkflows;
  /** Candidates of the whole text; a workflow that is none of them counts like the last. */
  readonly whole: BestWorkflows;
}

/** Characters and places of a text that are read; encoders read fewer characters. */
const mostCharacters = 1000;
const mostPlaces = 12;
const leastWords = 2;
const scale = 1e6;

const compile = (pattern: string): RE2JS => RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
const sentenceEnd = compile(String.raw`[.?!]+\s+|\n+`);
const wordsOf = (text: string): number => text.split(/\s+/u).filter(Boolean).length;

/** Finds the one place that most likely separates two wishes; null if no place has two words on either side. */
export type FindBoundary = (text: string) => Boundary | null;

export function compileBoundary({ joiners, announcing, openers }: SeveralWishes): FindBoundary {
  const joiner = compile(joiners);
  const leading = compile(`^(?:${joiners})`);
  const announces = compile(announcing);
  const opener = compile(`^(?:${openers})`);
  return (written) => {
    const text = written.slice(0, mostCharacters);
    const places = [...placesOf(sentenceEnd, text), ...placesOf(joiner, text)].sort((a, b) => a.start - b.start);
    const found = places.flatMap(({ start, end }): Boundary[] => {
      const between = text.slice(start, end);
      const after = ` ${text.slice(end)}`;
      const isSentence = sentenceEnd.test(`${between} `) && /[.?!\n]/u.test(between);
      const lead = isSentence ? leading.matcher(after) : null;
      const skipped = lead?.find() === true ? after.slice(0, lead.end()) : "";
      const left = trimmed(text.slice(0, start));
      const right = trimmed(after.slice(skipped.length));
      if (wordsOf(left) < leastWords || wordsOf(right) < leastWords) return [];
      const kind = isSentence ? "sentence" : /\p{L}/u.test(between) ? "word" : "comma";
      const announced = announces.test(between + skipped);
      return [{ left, right, announced, kind, rightOpens: opener.test(right), leftOpens: opener.test(left) }];
    });
    return found.toSorted((a, b) => rankOf(a) - rankOf(b))[0] ?? null;
  };
}

const trimmed = (text: string): string => text.replace(/^[\s,;]+|[\s,;]+$/gu, "");

function placesOf(pattern: RE2JS, text: string): readonly { readonly start: number; readonly end: number }[] {
  const found = pattern.matcher(text);
  const places: { readonly start: number; readonly end: number }[] = [];
  while (places.length < mostPlaces && found.find()) places.push({ start: found.start(), end: found.end() });
  return places;
}

const kindRanks = { sentence: 1, word: 2, comma: 3 } as const;
const rankOf = ({ announced, kind }: Boundary): number => (announced ? 0 : kindRanks[kind]);

/** What is read of a text whose sides lead to different workflows; null if they lead to one, or to none. */
export function wishColumnsOf(sides: SidesOfText): Readonly<Record<WishColumn, number>> | null {
  const { text, boundary, left, right, whole } = sides;
  const [a, b] = [left.ids[0], right.ids[0]];
  if (a === undefined || b === undefined || a === b) return null;
  const [scoreA = 0, scoreB = 0] = [left.scores[0], right.scores[0]];
  const leads = [leadOf(left), leadOf(right)];
  const [top = 0] = whole.scores;
  const ofWhole = Math.min(scoreIn(whole, a), scoreIn(whole, b));
  const [least, greatest] = [Math.min(scoreA, scoreB), Math.max(scoreA, scoreB)];
  const leastLead = Math.min(...leads);
  const first = whole.ids.slice(0, 2);
  return {
    least_score: least,
    greatest_score: greatest,
    least_lead: leastLead,
    greatest_lead: Math.max(...leads),
    whole_top: top,
    whole_lead: leadOf(whole),
    whole_least: ofWhole,
    both_lead_whole: Number(first.includes(a) && first.includes(b)),
    lead_times_score: leastLead * least,
    log_words_of_shorter: Math.log(Math.min(wordsOf(boundary.left), wordsOf(boundary.right))),
    log_words: Math.log(wordsOf(text)),
    announced: Number(boundary.announced),
    word: Number(boundary.kind === "word"),
    sentence: Number(boundary.kind === "sentence"),
    right_opens: Number(boundary.rightOpens),
    left_opens: Number(boundary.leftOpens),
  };
}

const leadOf = ({ scores: [first = 0, second = 0] }: BestWorkflows): number => first - second;

function scoreIn({ ids, scores }: BestWorkflows, id: string): number {
  const place = ids.indexOf(id);
  return scores[place < 0 ? scores.length - 1 : place] ?? 0;
}

/** Log odds, 6 decimals, that a text has two wishes; null if its sides lead to one workflow. */
export function severalScore(sides: SidesOfText, { intercept, weights }: SeveralWishes): number | null {
  const columns = wishColumnsOf(sides);
  if (columns === null) return null;
  const sum = wishColumns.reduce((total, name) => total + weights[name] * columns[name], intercept);
  return Math.round(sum * scale) / scale + 0;
}

/** Why patterns cannot be used; empty if they can. */
export const severalWishesProblems = ({ joiners, announcing, openers }: SeveralWishes): readonly string[] =>
  Object.entries({ joiners, announcing, openers }).flatMap(([name, pattern]) =>
    refusal(pattern, `several_wishes.${name}`),
  );
