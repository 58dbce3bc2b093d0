import { groupBy } from "../../../src/base/group-by.js";
import { textKey } from "../../near-duplicates.js";
import { conversationNames, decidedOnly, isNamed, meaningOf, names, partWords, plainName, speakers } from "../names.js";
import { wordsOfLabel } from "../../draft/workflow-ids.js";
import { explainedByText } from "./explained-by-text.js";
import { cellText, type GridRow } from "./grid.js";

/** The columns used to read a table, as 0-based positions. */
export interface ChosenColumns {
  /** At least one; the texts of several columns are joined. */
  readonly texts: readonly number[];
  readonly label: number;
  /** Column of the published part (train, validation, test); null if there is none. */
  readonly part: number | null;
  /** Column of the speaker; null if there is none. */
  readonly role: number | null;
  readonly conversation: ConversationColumns | null;
  /** Columns that could have been chosen instead, most likely first. */
  readonly alsoTexts: readonly number[];
  readonly alsoLabels: readonly number[];
  /** Columns of a subject and of the text below it, if one of them alone is the text column; null otherwise. */
  readonly message: readonly [subject: number, body: number] | null;
  /** A column that fits a text by name, but leaves far fewer rows usable than the chosen one; null if there is none. */
  readonly spoiled: SpoiledColumn | null;
}

export interface ConversationColumns {
  readonly id: number;
  /** Column of numbers that order a conversation; null: the order of the file. */
  readonly turn: number | null;
  /** Column of the label of the request before; null if there is none. */
  readonly previous: number | null;
}

/** Numbers of usable rows among the first `examined` rows. */
export interface SpoiledColumn {
  readonly column: number;
  readonly usable: number;
  readonly usableInstead: number;
  readonly examined: number;
}

/** A choice between columns that only a person can make. `none`: no column fits. */
export interface OpenChoice {
  readonly open: "text" | "label";
  readonly candidates: readonly number[];
  /** Without candidates: the columns that could still hold it, because nothing speaks against them. */
  readonly possible: readonly number[];
  /** As in `ChosenColumns`. */
  readonly message: ChosenColumns["message"];
}

/** Columns that the user specified; null or empty if unspecified. */
export interface NamedColumns {
  readonly texts: readonly number[];
  readonly label: number | null;
  readonly part: number | null;
  /** "none": every text stands alone. */
  readonly conversation: number | "none" | null;
  readonly turn: number | null;
  /** Labels of the project, as `plainName` gives them. */
  readonly known: ReadonlySet<string>;
}

const examinedRows = 1000;

/**
 * Chooses columns by name first, then by content: the text column contains what the *user* said, the label column what
 * a *person* decided. If names do not decide and several columns fit, a person has to choose.
 */
export function chooseColumns(
  header: readonly string[],
  rows: readonly GridRow[],
  given: NamedColumns,
): ChosenColumns | OpenChoice {
  const examined = rows.slice(0, examinedRows);
  const part = given.part ?? partColumn(header, examined);
  const role = roleColumn(header, examined);
  const conversation = conversationColumns(header, examined, given);
  const previous = header.findIndex((name) => conversationNames.previous.test(plainName(name)));
  const placed = [part, role, conversation?.id, conversation?.turn, previous];
  const free = header
    .map((name, at) => ({ at, ...meaningOf(name), ...factsOf(at, examined) }))
    .filter(({ at, filled, objects }) => !placed.includes(at) && filled > 0 && !objects);
  const labels = labelCandidates(
    free.filter(({ at }) => !given.texts.includes(at)),
    { known: given.known, texts: textsOf(free, given.texts) },
  );
  const label = given.label ?? labels.sure[0];
  if (label === undefined) {
    const possible = free
      .filter((column) => !given.texts.includes(column.at) && mayBeLabel(column))
      .map(({ at }) => at);
    return { open: "label", candidates: labels.close, possible, message: null };
  }
  const rest = free.filter(({ at }) => at !== label);
  const found = textCandidates(
    rest,
    examined.map((row) => firstText(row.cells[label])),
  );
  const texts = given.texts.length > 0 ? given.texts : found.sure.slice(0, 1);
  const [text] = texts;
  if (text === undefined) {
    const possible = rest.filter(mayBeText).map(({ at }) => at);
    return { open: "text", candidates: found.close, possible, message: messageOf(header, rest) };
  }
  const others = (all: readonly number[]): readonly number[] => all.filter((at) => !texts.includes(at) && at !== label);
  return {
    texts,
    label,
    part,
    role,
    conversation:
      given.conversation === null && namesWholeConversations(examined, { conversation, role, label })
        ? null
        : conversation,
    alsoTexts: others(found.all),
    alsoLabels: others(labels.all),
    message: given.texts.length > 0 ? null : messageOf(header, rest, text),
    spoiled: given.texts.length > 0 ? null : found.spoiled,
  };
}

/** The columns of a subject and its text, by name, if the chosen text column is one of them. */
function messageOf(
  header: readonly string[],
  columns: readonly Pick<Column, "at" | "answer" | "kind" | "letters">[],
  chosen?: number,
): readonly [number, number] | null {
  const texts = columns.filter(({ answer, kind, letters }) => !answer && kind === "text" && letters > 0.5);
  const named = (all: readonly string[]): number | undefined =>
    texts.find(({ at }) => wordsOfLabel(header[at] ?? "").some((word) => all.includes(word)))?.at;
  const [subject, body] = [named(names.subject), named(names.body)];
  if (subject === undefined || body === undefined || subject === body) return null;
  return chosen === undefined || chosen === subject || chosen === body ? [subject, body] : null;
}

/**
 * `sure`: the chosen column first; empty if a person has to choose among `close`. `all`: all columns that fit, best
 * first.
 */
interface Candidates {
  readonly sure: readonly number[];
  readonly close: readonly number[];
  readonly all: readonly number[];
}

type Column = { readonly at: number } & ReturnType<typeof meaningOf> & ColumnFacts;

/** How much a name may cost: a column with less than half of the usable rows of another one is not chosen by name. */
const leastUsable = 0.5;

/** @param labels  the label of each row that the cells of the columns are from; "" if it has none */
function textCandidates(
  columns: readonly Column[],
  labels: readonly string[],
): Candidates & Pick<ChosenColumns, "spoiled"> {
  const score = (column: Column): number => {
    const isFitting = (column.text >= 4 && column.letters > 0.5 && mayBeText(column)) || isFreeText(column);
    const named = isFitting ? column.text : 0;
    const spoken = column.speaker && named === 0 && isFreeText(column) ? 9 : named;
    return column.filled < 0.5 ? spoken / 4 : spoken;
  };
  // Of a text with markup and the same without, the one without is used.
  const named = columns
    .filter((column) => score(column) > 0 && column.kind !== "truth")
    .toSorted((a, b) => Number(a.markup > 0.5) - Number(b.markup > 0.5) || score(b) - score(a));
  const byContent = columns.filter((column) => isFreeText(column) && score(column) === 0);
  const said = byContent.filter(({ answer }) => !answer);
  const order = [...named, ...said, ...byContent.filter(({ answer }) => answer)].map(({ at }) => at);
  const open = said.length > 0 ? said : byContent;
  const [first] = named;
  if (first === undefined) {
    const sure = open.length === 1 ? order : [];
    return { sure, close: open.map(({ at }) => at), all: order, spoiled: null };
  }
  // A column of shorter texts may be a name or an address.
  const rivals = [...named, ...said].filter((column) => !column.aside && column.words >= first.words);
  const usable = new Map(rivals.map((column) => [column, usableRows(column.cells, labels)]));
  const usableOf = (column: Column): number => usable.get(column) ?? 0;
  const most = Math.max(...rivals.map(usableOf));
  if (usableOf(first) >= leastUsable * most) return { sure: order, close: [], all: order, spoiled: null };
  const fit = rivals.filter((column) => usableOf(column) >= leastUsable * most);
  const chosen = fit.some(({ text }) => text > 0) ? fit.filter(({ text }) => text > 0) : fit;
  const all = [...new Set([...chosen.map(({ at }) => at), ...order])];
  const isOpen = chosen.length > 1 && !chosen.some(({ text }) => text > 0);
  const [instead = first] = chosen;
  return {
    sure: isOpen ? [] : all,
    close: [...chosen.map(({ at }) => at), first.at],
    all,
    spoiled: {
      column: first.at,
      usable: usableOf(first),
      usableInstead: usableOf(instead),
      examined: first.cells.length,
    },
  };
}

/** The texts before the label is known: of the given column, or of the one that is surest; empty without one. */
function textsOf(columns: readonly Column[], given: readonly number[]): readonly string[] {
  const [any] = columns;
  const found = given[0] ?? textCandidates(columns, any?.cells.map(() => "any") ?? []).sure[0];
  return columns.find(({ at }) => at === found)?.cells ?? [];
}

/** Number of labelled rows whose text is not empty and has no second label. */
function usableRows(texts: readonly string[], labels: readonly string[]): number {
  const labelsOf = new Map<string, Set<string>>();
  const rowsOf = new Map<string, number>();
  for (const [row, text] of texts.entries()) {
    const label = labels[row] ?? "";
    if (text === "" || label === "") continue;
    const key = textKey(text);
    labelsOf.set(key, (labelsOf.get(key) ?? new Set()).add(label));
    rowsOf.set(key, (rowsOf.get(key) ?? 0) + 1);
  }
  return [...labelsOf].reduce((sum, [key, own]) => sum + (own.size === 1 ? (rowsOf.get(key) ?? 0) : 0), 0);
}

/** Minimum share of a column's values that are labels of the project. */
const leastKnown = 0.5;

function labelCandidates(
  columns: readonly Column[],
  { known, texts }: { readonly known: ReadonlySet<string>; readonly texts: readonly string[] },
): Candidates {
  const knownShare = ({ cells }: Column): number =>
    cells.filter((cell) => known.has(plainName(cell))).length / Math.max(1, cells.filter((cell) => cell !== "").length);
  const familiar = columns
    .filter((column) => !column.predicted && !column.lists && knownShare(column) >= leastKnown)
    .toSorted((a, b) => knownShare(b) - knownShare(a));
  const found = explainedFirst(labelsByNameAndContent(columns), columns, texts);
  if (familiar.length === 0) return found;
  const order = [...new Set([...familiar.map(({ at }) => at), ...found.all])];
  return { sure: order, close: [], all: order };
}

/** Number of rows from which words show what they explain, and how well they must explain a label. */
const leastExplained = { rows: 50, share: 0.15 } as const;

/**
 * Of the columns that could be the label, only those that the texts explain: who took a request, where, and how urgent it
 * is cannot be told from its words. A sure name counts more.
 */
function explainedFirst(found: Candidates, columns: readonly Column[], texts: readonly string[]): Candidates {
  if (texts.length < leastExplained.rows) return found;
  const fits = columns
    .filter(({ at, aside }) => found.all.includes(at) && (!aside || found.sure[0] === at))
    .map((column) => ({ column, share: explainedByText(texts, column.cells.map(plainName)) ?? 0 }))
    .toSorted((a, b) => b.share - a.share);
  const [best] = fits;
  if (best === undefined || best.share < leastExplained.share) return found;
  const explained = fits.filter(({ share }) => share * 3 >= best.share).map(({ column }) => column.at);
  const kept = (all: readonly number[]): readonly number[] => all.filter((at) => explained.includes(at));
  const first = columns.find(({ at }) => at === found.sure[0]);
  const isSure = first !== undefined && (explained.includes(first.at) || first.label >= leastSureLabel);
  if (isSure) return { sure: [first.at, ...kept(found.sure.slice(1))], close: [], all: [first.at, ...kept(found.all)] };
  const open = kept(first === undefined ? found.close : found.all);
  return open.length === 1 ? { sure: open, close: [], all: open } : { sure: [], close: open, all: open };
}

function labelsByNameAndContent(columns: readonly Column[]): Candidates {
  // A list of tags is not the label where another column holds one value in each row.
  const isSingle = (column: Column): number => (!column.lists && isLabelLike(column) ? 1 : 0);
  const byName = columns
    .filter((column) => column.label > 0 && column.kind !== "truth" && !isProse(column))
    .filter((column) => column.label >= leastSureLabel || !isIdentifying(column))
    .filter((column) => column.label !== decidedOnly || isLabelLike(column))
    .toSorted(
      (a, b) =>
        Number(a.persons > 0.5) - Number(b.persons > 0.5) ||
        (a.lists === b.lists ? 0 : isSingle(b) - isSingle(a)) ||
        b.label - a.label,
    );
  const byContent = columns.filter(
    (column) =>
      isLabelLike(column) && !byName.includes(column) && !column.predicted && !(column.aside && column.codes > 0.5),
  );
  const likely = byContent.filter(({ aside }) => !aside).toSorted((a, b) => a.distinct - b.distinct);
  const named = withoutConstants(byName, byContent);
  const nested = likely.every((column, index) => index === 0 || refines(column, likely[index - 1]));
  const byFit = (all: readonly Column[]): readonly Column[] => all.toSorted((a, b) => fitOf(b) - fitOf(a));
  const ranked = nested ? likely : byFit(likely);
  const order = [...named, ...ranked, ...byFit(byContent.filter(({ aside }) => aside))].map(({ at }) => at);
  const open = likely.length > 0 ? ranked : byFit(byContent);
  if (named.length > 0 || likely.length === 1 || (likely.length > 1 && nested))
    return { sure: order, close: [], all: order };
  return { sure: [], close: open.map(({ at }) => at), all: order };
}

/**
 * A column with one value is not the label if another one has several, nor if its name says little, as `type` does: an
 * export writes the kind of its records into each.
 */
function withoutConstants(named: readonly Column[], others: readonly Column[]): readonly Column[] {
  const isConstant = ({ kind }: Column): boolean => kind === "constant";
  const isVaried = [...named, ...others].some((column) => !isConstant(column));
  return named.filter((column) => !isConstant(column) || (!isVaried && column.label >= leastSureLabel));
}

/** Score of a name that is one of the surest for a label. */
const leastSureLabel = 7.85;

/** Number of rows from which a value counts as one of several rows. */
const severalRows = 3;

/**
 * How well a column fits as the label, where its name does not decide: its name, the share of its values that are
 * words rather than numbers, and the share of its rows whose value occurs in several rows.
 */
function fitOf({ labelFit, cells }: Column): number {
  const counts = new Map<string, number>();
  for (const cell of cells) if (cell !== "") counts.set(cell, (counts.get(cell) ?? 0) + 1);
  const values = [...counts.keys()];
  const words = values.filter((value) => /\p{L}{3}/u.test(value) && !/\p{N}/u.test(value)).length;
  const frequent = [...counts.values()].filter((count) => count >= severalRows);
  const rows = frequent.reduce((sum, count) => sum + count, 0);
  return 2 * labelFit + words / Math.max(1, values.length) + rows / Math.max(1, cells.length);
}

/**
 * Whether each value of a column always occurs with the same value of a coarser column, as in two levels of a
 * hierarchy.
 */
function refines(fine: Column, coarse: Column | undefined): boolean {
  if (coarse === undefined) return false;
  const above = new Map<string, string>();
  for (const [row, cell] of fine.cells.entries()) {
    const outer = coarse.cells[row] ?? "";
    if ((above.get(cell) ?? outer) !== outer) return false;
    above.set(cell, outer);
  }
  return true;
}

const headerNames = new Set([...names.text, ...names.label, ...names.part, ...names.texts, "id", "domain", "language"]);

/** Whether the first row is a header: it has known names, or its cells differ in kind from the cells below. */
export function isHeader(first: GridRow, rows: readonly GridRow[]): boolean {
  const cells = first.cells.map((cell) => plainName(cellText(cell) ?? ""));
  if (cells.some((cell) => headerNames.has(cell))) return true;
  const below = rows.slice(0, examinedRows);
  const repeated = cells.some((cell, column) => cell !== "" && below.some((row) => sameCell(row, column, cell)));
  const named = cells.filter((cell) => cell !== "");
  if (repeated || new Set(named).size < named.length || below.length === 0) return false;
  return (
    first.cells.every((cell) => wordsOf(cellText(cell) ?? "") <= 3) || cells.some((_, at) => holdsLabels(at, below))
  );
}

/**
 * Whether a column has few values that each occur at least twice. A different cell above them is then the column name.
 */
function holdsLabels(column: number, rows: readonly GridRow[]): boolean {
  const counts = new Map<string, number>();
  const filled = rows.map((row) => plainName(cellText(row.cells[column]) ?? "")).filter((cell) => cell !== "");
  for (const cell of filled) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return counts.size > 1 && counts.size * 3 <= filled.length && [...counts.values()].every((count) => count > 1);
}

const sameCell = (row: GridRow, column: number, name: string): boolean =>
  plainName(cellText(row.cells[column]) ?? "") === name;

/** The part column: it has the name of a part column, and every cell is the name of a part. */
function partColumn(header: readonly string[], rows: readonly GridRow[]): number | null {
  const column = header.findIndex((name) => isNamed(name, names.part));
  if (column < 0) return null;
  const words = rows.map((row) => (cellText(row.cells[column]) ?? "").toLowerCase());
  return words.length > 0 && words.every((word) => partWords[word] !== undefined) ? column : null;
}

/** The speaker column: it has the name of a speaker column, and its cells are names of speakers including the user. */
function roleColumn(header: readonly string[], rows: readonly GridRow[]): number | null {
  const column = header.findIndex((name) => isNamed(name.slice(name.lastIndexOf(".") + 1), names.role));
  if (column < 0) return null;
  const said = rows.map((row) => speakers[plainName(cellText(row.cells[column]) ?? "")]);
  return said.includes("user") && said.includes("other") && said.every((one) => one !== undefined) ? column : null;
}

/**
 * The column of the conversation: it has the name of one, and its cells are ids, of which several rows have the same. With it, the
 * columns of the order and of the previous label, by name.
 */
function conversationColumns(
  header: readonly string[],
  rows: readonly GridRow[],
  { conversation, turn }: NamedColumns,
): ConversationColumns | null {
  if (conversation === "none") return null;
  const cellsOf = (column: number): readonly string[] => rows.map(({ cells }) => cellText(cells[column]) ?? "");
  const named = (pattern: RegExp): number | null => {
    const column = header.findIndex((name) => pattern.test(plainName(name)));
    return column < 0 ? null : column;
  };
  const isOfIds = (column: number): boolean => {
    const ids = cellsOf(column).filter((cell) => cell !== "");
    return new Set(ids).size < ids.length && ids.every((id) => !/\s/.test(id));
  };
  const found = named(conversationNames.id);
  const id = conversation ?? (found !== null && isOfIds(found) ? found : null);
  if (id === null) return null;
  const numbered = named(conversationNames.turn);
  const isNumbered = numbered !== null && cellsOf(numbered).every((cell) => /^\d+$/.test(cell));
  return { id, turn: turn ?? (isNumbered ? numbered : null), previous: named(conversationNames.previous) };
}

/** Whether a label belongs to a whole conversation: all its rows have it, also those of other speakers. */
function namesWholeConversations(
  rows: readonly GridRow[],
  { conversation, role, label }: Pick<ChosenColumns, "conversation" | "role" | "label">,
): boolean {
  if (conversation === null || role === null) return false;
  const at = ({ cells }: GridRow, column: number): string => cellText(cells[column]) ?? "";
  const isOther = (row: GridRow): boolean => speakers[plainName(at(row, role))] === "other";
  return (
    rows.some((row) => isOther(row) && at(row, label) !== "") &&
    [...groupBy(rows, (row) => at(row, conversation.id)).values()].every(
      (own) => new Set(own.map((row) => at(row, label))).size === 1,
    )
  );
}

interface ColumnFacts {
  readonly cells: readonly string[];
  /** Share of distinct cells, in [0, 1]. */
  readonly distinct: number;
  /** Mean length of a filled cell, in characters; characters of scripts without spaces count three times. */
  readonly length: number;
  readonly words: number;
  /** Share of the filled cells with a letter, in [0, 1]. */
  readonly letters: number;
  /** Share of the cells with text, in [0, 1]. */
  readonly filled: number;
  /** Shares of the filled cells that are codes such as TKT-0001, names of persons, and texts with markup, in [0, 1]. */
  readonly codes: number;
  readonly persons: number;
  readonly markup: number;
  readonly objects: boolean;
  /** Whether cells contain lists of several values. */
  readonly lists: boolean;
  /** Kind of most filled cells. */
  readonly kind: "text" | "measure" | "link" | "truth" | "constant";
}

/** Digits with punctuation, optionally with a currency: `1.299,00 €`, `EUR 12.50`, `2026-03-01 12:00`. */
const measure =
  /^(?:\p{Sc}|[A-Z]{3})?\s*[-+]?\d+(?:[.,:/' -]+\d+)+\s*(?:\p{Sc}|[A-Z]{3}|%)?$|^\p{Sc}\s*\d+$|^\d+\s*\p{Sc}$/u;
const link = /^(?:https?:\/\/\S+|[^\s@]+@[^\s@]+\.[a-z]+|[0-9a-f]{8}-[0-9a-f-]{20,}|\d{4}-\d\d-\d\dT[\d:.]+\S*)$/i;
/** One word with a digit: a number, a key or a digest. */
const code = /^[\w#:./\\+=-]*\d[\w#:./\\+=-]*$/;
const particles = new Set("de del della da di van von der den la le bin al el".split(" "));

/** Whether a text looks like the name of a person: two to four capitalised words, with particles between them. */
function isPerson(text: string): boolean {
  const words = text.length > longestName ? [] : text.split(/,? /);
  const isCapital = (word: string): boolean => /^\p{Lu}[\p{L}\p{N}'’.-]*$/u.test(word);
  const capitals = words.filter((word) => !particles.has(word));
  return capitals.length >= 2 && words.length <= 4 && capitals.every(isCapital);
}

const longestName = 40;
const markup = /<\/?(?:p|div|br|span|html|body|table|td|a|b|ul|li)\b[^<>]*>/i;
const truth = /^(?:true|false|yes|no|[01]|y|n)$/i;
const scriptsWithoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/**
 * Number of words of a text. Punctuation does not count; in scripts without spaces, two characters count as one word.
 */
export const wordsOf = (text: string): number =>
  (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) + Math.floor((text.match(scriptsWithoutSpaces)?.length ?? 0) / 2);

function factsOf(column: number, rows: readonly GridRow[]): ColumnFacts {
  const cells = rows.map((row) => firstText(row.cells[column]));
  const filled = cells.filter((cell) => cell !== "");
  const count = Math.max(1, filled.length);
  const share = (pattern: RegExp): number => filled.filter((cell) => pattern.test(cell)).length / count;
  const mean = (size: (cell: string) => number): number => filled.reduce((sum, cell) => sum + size(cell), 0) / count;
  const different = new Set(filled).size;
  return {
    cells,
    distinct: different / count,
    length: mean((cell) => cell.length + 2 * (cell.match(scriptsWithoutSpaces)?.length ?? 0)),
    words: mean(wordsOf),
    letters: share(/\p{L}/u),
    filled: filled.length / Math.max(1, rows.length),
    codes: share(code),
    persons: filled.filter(isPerson).length / count,
    markup: share(markup),
    objects: rows.filter((row) => isObject(row.cells[column])).length * 2 > rows.length,
    lists: rows.some(({ cells: { [column]: cell } }) => Array.isArray(cell) && cell.length > 1),
    kind:
      share(truth) > 0.9 && different <= 2
        ? "truth"
        : share(link) > 0.5
          ? "link"
          : share(measure) > 0.5
            ? "measure"
            : different < 2
              ? "constant"
              : "text",
  };
}

const isObject = (cell: unknown): boolean => cellText(Array.isArray(cell) ? cell[0] : cell) === null;

/** The text of a cell, or of the first item of a list. */
const firstText = (cell: unknown): string =>
  cellText(Array.isArray(cell) ? (cell as readonly unknown[])[0] : cell) ?? "";

/** Whether a column looks like labels: short, repeated values that are not amounts, dates or addresses. */
const isLabelLike = (column: Column): boolean =>
  column.kind === "text" &&
  column.distinct <= 0.5 &&
  column.length <= 60 &&
  column.length >= 2 &&
  column.filled >= 0.5 &&
  !isIdentifying(column) &&
  !isNamedText(column);

/** Whether a column tells rows apart, as keys and names of persons do. */
const isIdentifying = ({ codes, persons, distinct, cells }: Column): boolean =>
  cells.length >= fewRows && ((codes > 0.8 && distinct > 0.5) || (persons > 0.5 && distinct > 0.3));

const isNamedText = ({ text, label, words }: Column): boolean => text > 0 && label === 0 && words >= 3;

/** Number of rows below which repeated values say little. */
const fewRows = 10;

/** Whether nothing speaks against a column as the text: neither keys nor names of persons. */
const mayBeText = ({ kind, codes, persons, text, letters }: Column): boolean =>
  (kind === "text" || kind === "constant") && letters > 0.5 && codes < 0.5 && (persons < 0.5 || text >= leastSureText);

/** Score of a name that denotes the text and nothing else. */
const leastSureText = 6.5;

/** Whether nothing speaks against a column as the label. */
const mayBeLabel = (column: Column): boolean =>
  column.kind !== "constant" &&
  column.kind !== "link" &&
  column.kind !== "truth" &&
  !(column.aside && column.codes > 0.5) &&
  !isIdentifying(column) &&
  !isNamedText(column) &&
  column.words < 5 &&
  (column.cells.length < fewRows || column.distinct < 0.8);

/** Whether a column looks like free text: values of several words, distinct unless they are sentences. */
const isFreeText = (column: Column): boolean =>
  column.kind === "text" &&
  column.length >= 8 &&
  column.words >= 1.5 &&
  column.filled >= 0.5 &&
  (column.distinct >= 0.3 || column.words >= 4) &&
  mayBeText(column);

/** Whether a column contains sentences, which cannot be workflow names. */
const isProse = ({ words, distinct, cells }: Column): boolean => cells.length > 9 && words >= 5 && distinct > 0.8;
