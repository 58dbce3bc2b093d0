import type { GroupText } from "./find-structures.js";
import { severalMark } from "./labels.js";
import { fromTemplate, isTemplate, withoutMarks } from "./plain-text.js";

/** Texts of a file of marked lines, and its other sections. */
export interface MarkedLines {
  readonly texts: readonly GroupText[];
  /** Kind of each section that is not an intent, e.g. "synonym". */
  readonly others: readonly string[];
  /** Whether the marks say that they are those of intents, as `## intent:refund` does. */
  readonly explicit: boolean;
}

/** A line with fastText labels: `__label__refund __label__urgent my money back`. */
const prefixed = /^((?:__label__\S+\s+)+)(\S.*)$/;

/**
 * Reads text whose labels are marked by headings: `## intent:refund` (Rasa 1), `# refund` (.lu), `%[refund]` (Chatito),
 * `[refund]` (ini), or by a prefix of each line (fastText). null for any other text.
 */
export function readMarkedLines(file: string, text: string): MarkedLines | null {
  const lines = text.split(/\r?\n/);
  if (/\.(?:intent|utterances\.txt)$/.test(file)) return readList(file, lines);
  const filled = lines.filter((line) => line.trim() !== "");
  const labelled = filled.filter((line) => prefixed.test(line)).length;
  if (labelled > 0 && labelled * 10 >= filled.length * 9) return readPrefixed(lines);
  const heading = filled.find((line) => !/^\s*(?:>|<!--|#!|\/\/|;)/.test(line));
  return heading !== undefined && headingOf(heading) !== null ? readSections(lines) : null;
}

/** Reads a file with one text per line: `refund.intent`, or `x.utterances.txt`, whose first line is the name. */
function readList(file: string, lines: readonly string[]): MarkedLines {
  const isTemplates = file.endsWith(".intent");
  const label = isTemplates ? file.replace(/^.*\/|\.intent$/g, "") : (lines[0] ?? "").trim();
  const texts = lines.flatMap((line, index): readonly GroupText[] => {
    const isText = line.trim() !== "" && !line.startsWith("#") && label !== "" && (isTemplates || index > 0);
    const text = isTemplates ? oneSentence(line, index) : withoutMarks(line);
    return isText ? [{ ...nowhere, at: `line ${index + 1}`, text, label }] : [];
  });
  return { texts, others: [], explicit: true };
}

const oneSentence = (line: string, index: number): string =>
  isTemplate(line) ? fromTemplate(line, new Map(), index) : withoutMarks(line);

function readPrefixed(lines: readonly string[]): MarkedLines {
  const texts = lines.flatMap((line, index): readonly GroupText[] => {
    if (line.trim() === "") return [];
    const [, marks = "", text = ""] = prefixed.exec(line) ?? [];
    const labels = marks
      .trim()
      .split(/\s+/)
      .map((mark) => mark.replace("__label__", ""));
    return [{ ...nowhere, at: `line ${index + 1}`, text: marks === "" ? "" : text, label: labels.join(severalMark) }];
  });
  return { texts, others: [], explicit: true };
}

const nowhere = { part: null, language: null } as const;

interface Heading {
  /** "intent", or another kind of section, whose lines are not requests. */
  readonly kind: string;
  readonly name: string;
  readonly part: GroupText["part"];
  readonly explicit: boolean;
  /** Whether only lines that begin with a dash are texts; otherwise every line is a text. */
  readonly listed: boolean;
}

/** The section that a line begins; null for a line within a section. */
const headingOf = (line: string): Heading | null => hashHeading(line) ?? bracketHeading(line);

function hashHeading(line: string): Heading | null {
  const [, title] = /^\s{0,3}#{1,6}\s*(\S.*)$/.exec(line) ?? [];
  if (title === undefined) return null;
  const [, stated, name = title] = /^(intent|synonym|regex|lookup|entity|phraselist)\s*:\s*(.*)$/i.exec(title) ?? [];
  const isAnswer = /^[?!]/.test(title);
  const kind = isAnswer ? "question and answer" : (stated ?? "intent").toLowerCase();
  return { kind, name: name.trim(), part: null, explicit: stated !== undefined, listed: true };
}

/** Meaning of Chatito's marks. A section without a mark is an ini section. */
const bracketKinds: Readonly<Record<string, string>> = { "%": "intent", "~": "alias", "@": "slot", "": "intent" };

function bracketHeading(line: string): Heading | null {
  const [, mark, name, use = ""] = /^([%~@]?)\[([^\]()|]+)\](?:\((.*)\))?\s*$/.exec(line) ?? [];
  if (mark === undefined || name === undefined) return null;
  const part = /['"]?training['"]?\s*:\s*['"]?0/.test(use) ? "test" : null;
  return { kind: bracketKinds[mark] ?? "intent", name, part, explicit: true, listed: false };
}

function readSections(lines: readonly string[]): MarkedLines {
  const sections: { readonly heading: Heading; readonly items: { readonly line: number; readonly text: string }[] }[] =
    [];
  let inEntity = false;
  for (const [index, line] of lines.entries()) {
    const heading = headingOf(line);
    const current = sections.at(-1);
    if (heading !== null) {
      sections.push({ heading, items: [] });
      inEntity = false;
    } else if (current === undefined || line.trim() === "") continue;
    else if (current.heading.listed) {
      inEntity ||= /^\s*[@$]/.test(line);
      const [, item] = /^\s*[-*+]\s+(.*)$/.exec(line) ?? [];
      if (item !== undefined && !inEntity) current.items.push({ line: index + 1, text: item });
    } else if (!/^\s*(?:\/\/|;|#|\w+\s*=)/.test(line)) current.items.push({ line: index + 1, text: line.trim() });
  }
  const rules = new Map(
    sections
      .filter(({ heading }) => heading.kind === "alias" || heading.kind === "slot")
      .map(({ heading, items }) => [heading.name, items]),
  );
  const filled = (text: string, index: number): string =>
    text.replace(/[~@]\[([^[\]?]+)\??\](\?)?/g, (_, name: string) => {
      const items = rules.get(name.replace(/\(.*$/, "")) ?? [];
      return items[index % Math.max(1, items.length)]?.text ?? name;
    });
  const intents = sections.filter(({ heading }) => heading.kind === "intent");
  const texts = intents.flatMap(({ heading, items }) =>
    items.map(({ line, text }, index): GroupText => {
      const one = heading.listed ? withoutMarks(text) : oneSentence(filled(text, index), index);
      return { ...nowhere, at: `line ${line}`, text: one, label: heading.name, part: heading.part };
    }),
  );
  const others = sections.map(({ heading }) => heading.kind).filter((kind) => kind !== "intent");
  return { texts, others, explicit: sections.some(({ heading }) => heading.explicit) };
}
