import { counted } from "../../../src/documents/number-text.js";
import { command, type Invocation, say, SluiceError } from "../../../src/base/error.js";
import { shellLine } from "../../../src/base/invocation.js";
import { groupBy } from "../../../src/base/group-by.js";
import { wordsOfLabel } from "../../draft/workflow-ids.js";
import { asTextColumns, type TableChoices, textColumnNames } from "../choices.js";
import type { ChosenNames, LeftOutRow, ReadMaterial, SourcePart, SourceText, TablePreview } from "../parsed-source.js";
import type { LeftOutReason } from "../../../src/documents/choices.js";
import { conversationNames, isNamed, isTextsName, meaningOf, names, partWords, plainName, speakers } from "../names.js";
import { acceptances, rejections, verdictNames } from "../annotations.js";
import { turnsOfRows } from "../conversations.js";
import { namedFew, severalMark } from "../labels.js";
import { isJsonObject } from "../parse-json.js";
import { joinedText, usableText } from "../plain-text.js";
import {
  type ChosenColumns,
  type ConversationColumns,
  chooseColumns,
  type OpenChoice,
  isHeader,
} from "./choose-columns.js";
import { cellText, comparedWith, type Grid, type GridRow } from "./grid.js";

type GridChoices = TableChoices & {
  /** Whether a text that is too long is cleaned first. */
  readonly clean?: boolean;
};

/** A table with its chosen columns, or the choice that a person has to make. */
export interface OpenedGrid {
  readonly grid: Grid;
  readonly header: readonly string[];
  readonly named: GridRow | null;
  readonly above: readonly GridRow[];
  readonly rows: readonly GridRow[];
  readonly columns: ChosenColumns | OpenChoice;
}

/**
 * Finds the header and the columns of a table.
 * @throws {SluiceError} DOCUMENT_INVALID  there are no rows
 * @throws {SluiceError} DOCUMENT_INVALID  a specified column is missing
 */
export function openGrid(grid: Grid, choices: TableChoices): OpenedGrid {
  const { textColumn, labelColumn, partColumn, conversationColumn, turnColumn, knownLabels = [] } = choices;
  const textColumns = textColumnNames(textColumn);
  const given = [...textColumns, labelColumn, partColumn, conversationColumn, turnColumn].filter(
    (name) => typeof name === "string",
  );
  const { header: named, above, rows } = findHeader(grid.rows, given);
  const first = named ?? rows[0];
  if (first === undefined) {
    throw new SluiceError("DOCUMENT_INVALID", `${grid.file}: no rows`, { hint: "Use a file with labelled requests." });
  }
  const width = named === null ? Math.max(...rows.slice(0, 50).map(({ cells }) => cells.length)) : first.cells.length;
  const header = distinctNames(
    Array.from({ length: width }, (_, column) =>
      named === null ? `column ${column + 1}` : (cellText(first.cells[column]) ?? ""),
    ),
  );
  const at = (name: string): number => {
    const column = header.indexOf(name);
    if (column >= 0) return column;
    throw new SluiceError(
      "DOCUMENT_INVALID",
      `${grid.file}: there is no column "${name}"; found ${header.join(", ")}`,
      {
        hint: "Name a column of the first row.",
        details: { columns: header },
      },
    );
  };
  const columns = chooseColumns(header, rows, {
    texts: textColumns.map(at),
    label: labelColumn === undefined ? null : at(labelColumn),
    part: partColumn === undefined ? null : at(partColumn),
    conversation:
      conversationColumn === null ? "none" : conversationColumn === undefined ? null : at(conversationColumn),
    turn: turnColumn === undefined ? null : at(turnColumn),
    known: new Set([...knownLabels].map(plainName)),
  });
  return { grid, header, named, above, rows, columns };
}

/** Makes column names unique: the second "intent" becomes "intent (2)". */
function distinctNames(header: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return header.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 || name === "" ? name : `${name} (${count})`;
  });
}

/**
 * The labelled texts of a table. A row with a blank label is left out and listed rather than read as out of scope,
 * because a blank cell usually means that the row is unlabelled.
 * @throws {SluiceError} DOCUMENT_INVALID  a person has to choose the columns
 */
export function textsOfGrid(opened: OpenedGrid, choices: GridChoices): ReadMaterial {
  const { columns, header, rows, grid } = opened;
  if ("open" in columns) return textsOfColumns(opened, columns, choices);
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = opened.above.map(({ at }) => ({ file: grid.file, at, reason: "above_header" }));
  const described = rows.length > 2 ? rows.slice(0, 1).filter(describesColumns) : [];
  for (const { at } of described) leftOut.push({ file: grid.file, at, reason: "describes_columns" });
  const labelOf = labelReader(opened, columns);
  const read = rows.slice(described.length).map((row) => ({ row, ...labelOf(row) }));
  const said = read.filter(({ reason }) => reason === null || reason === "no_label").map(({ row }) => row);
  const turnOf = turnsOfRows(said, columns.conversation);
  for (const { row, label, reason } of read) {
    const found = rowTexts(row, header, columns);
    for (const [index, one] of found.entries()) {
      const at = found.length === 1 ? row.at : `${row.at} text ${index + 1}`;
      const text = usableText(one, choices.clean);
      const why = whyLeftOut(text, reason);
      if (why !== null || "reason" in text) leftOut.push({ file: grid.file, at, reason: why ?? "no_text" });
      else texts.push({ file: grid.file, at, text: text.text, label, part: partOf(row, columns), ...turnOf(row) });
    }
  }
  return {
    texts,
    leftOut,
    workflows: [],
    decisions: decisionsOf(opened, columns),
    preview: previewOf(opened),
    columns: chosenNames(header, columns),
  };
}

function chosenNames(header: readonly string[], columns: ChosenColumns): ChosenNames {
  const name = (column: number): string => header[column] ?? "";
  const nameOrNull = (column: number | null = null): string | null => (column === null ? null : name(column));
  return {
    textColumn: asTextColumns(columns.texts.map(name)),
    labelColumn: name(columns.label),
    partColumn: nameOrNull(columns.part),
    conversationColumn: nameOrNull(columns.conversation?.id),
    turnColumn: nameOrNull(columns.conversation?.turn),
    alsoTexts: columns.alsoTexts.map(name),
    alsoLabels: columns.alsoLabels.map(name),
  };
}

/**
 * Reads a table whose columns are labels: with their texts, or with marks.
 * @throws {SluiceError} DOCUMENT_INVALID  a person has to choose the columns
 */
function textsOfColumns(opened: OpenedGrid, columns: OpenChoice, choices: GridChoices): ReadMaterial {
  const perLabel = columnPerLabel(opened, columns);
  if (perLabel !== null) {
    const read = textsOfGrid(openGrid(perLabel, {}), choices);
    return { ...read, columns: null, decisions: ["Each column is a label, and its cells are the texts."] };
  }
  const marked = markedColumns(opened, columns);
  if (marked === null) throw unsettledColumns(opened, columns, choices);
  const alone = choices.conversationColumn === null ? { conversationColumn: null } : {};
  const read = textsOfGrid(openGrid(marked.grid, alone), choices);
  const names = namedFew(marked.names.map((name) => `"${name}"`));
  return {
    ...read,
    columns: null,
    decisions: [...read.decisions, `Labels are the columns marked in a row: ${names}.`],
  };
}

const previewRows = 8;

const previewOf = ({ header, rows }: Pick<OpenedGrid, "header" | "rows">): TablePreview => ({
  header,
  rows: rows
    .slice(0, previewRows)
    .map(({ cells }) => header.map((_, column) => cellText(joinedText(cells[column])) ?? "")),
});

/** The reason for leaving out a row; if both text and label are empty, it is the empty text. */
const whyLeftOut = (text: ReturnType<typeof usableText>, ofRow: LeftOutReason | null): LeftOutReason | null =>
  "reason" in text && (ofRow === null || ofRow === "no_label") ? text.reason : ofRow;

/** The phrases of a cell: the items of a list or, if the column's name marks it as a list, one phrase per line. */
function phrasesOf(cell: unknown, lists: boolean): readonly unknown[] {
  if (Array.isArray(cell)) return cell.length === 0 ? [""] : (cell as readonly unknown[]);
  if (typeof cell !== "string" || !lists) return [cell];
  const lines = cell.split(/\r?\n/).filter((line) => line.trim() !== "");
  return lines.length === 0 ? [cell] : lines;
}

/** The texts of a row: the phrases of its text cell, or one text joined from several cells. `null`: not text. */
function rowTexts(
  { cells }: GridRow,
  header: readonly string[],
  { texts: columns }: ChosenColumns,
): readonly (string | null)[] {
  const [column = 0, ...others] = columns;
  const textOf = (cell: unknown): string | null => cellText(joinedText(cell));
  if (others.length === 0) {
    return phrasesOf(cells[column], isTextsName(header[column] ?? "")).map(textOf);
  }
  const parts = columns.flatMap((own) => phrasesOf(cells[own], false)).map(textOf);
  return [parts.includes(null) ? null : parts.filter((part) => part !== "").join("\n")];
}

interface RowLabel {
  readonly label: string;
  readonly reason: LeftOutReason | null;
}

function labelReader({ header, rows }: OpenedGrid, columns: ChosenColumns): (row: GridRow) => RowLabel {
  const { label: column, role, texts } = columns;
  const compared = header[column] === "__expected";
  const verdicts = header.flatMap((name, at) => (at !== column && isVerdict(name, at, rows) ? [at] : []));
  const usual = usualTags(rows.map(({ cells }) => cells[column]));
  const unusable = ({ cells }: GridRow): LeftOutReason | null => {
    if (cells.slice(header.length).some((own) => cellText(own) !== "")) return "ragged";
    if (role !== null && speakers[plainName(cellText(cells[role]) ?? "")] === "other") return "not_user";
    return verdicts.some((at) => isRejection(cells[at])) ? "rejected" : null;
  };
  const labelOf = (cell: unknown): string => {
    const found = labelsOfCell(cell)
      .filter((label) => !usual.has(label))
      .join(severalMark);
    return compared ? (comparedWith(found) ?? "") : found;
  };
  return (row) => {
    const text = cellText(row.cells[texts[0] ?? 0]) ?? "";
    const label = labelOf(row.cells[column]);
    const reason = unusable(row) ?? noRequest(text, label);
    return { label, reason: reason ?? (label === "" ? "no_label" : null) };
  };
}

/** Why the text of a row is no request: it is an error of the program, or the name of a sum. */
function noRequest(text: string, label: string): LeftOutReason | null {
  if (isErrorValue(text)) return "error_value";
  return isTotal(text) && (label === "" || /^[\d.,]+$/.test(label)) ? "total" : null;
}

const typeWords = new Set(
  (
    "text free string str varchar char int integer number numeric float double decimal date datetime time timestamp bool " +
    "boolean code enum id category categorical label list json object required optional mandatory yes no value values type unit"
  ).split(" "),
);

/** Whether a row below the header has the types of the columns instead of a request. */
function describesColumns({ cells }: GridRow): boolean {
  const filled = cells.map((cell) => cellText(cell) ?? "").filter((text) => text !== "");
  return filled.length > 1 && filled.every((text) => wordsOfLabel(text).every((word) => typeWords.has(word)));
}

/** Whether a column holds what an annotator decided about the label: `accept` or `reject`. */
function isVerdict(name: string, column: number, rows: readonly GridRow[]): boolean {
  if (!isNamed(name.slice(name.lastIndexOf(".") + 1), verdictNames)) return false;
  const words = new Set(rows.map(({ cells }) => (cellText(cells[column]) ?? "").toLowerCase()));
  words.delete("");
  if (plainName(name).endsWith("cancelled")) return [...words].every((word) => word === "true" || word === "false");
  return (
    [...words].every((word) => rejections.has(word) || acceptances.has(word)) &&
    [...words].some((word) => acceptances.has(word) || word.startsWith("reject"))
  );
}

function isRejection(cell: unknown): boolean {
  const word = (cellText(cell) ?? "").toLowerCase();
  return word === "true" || rejections.has(word);
}

/** Errors of spreadsheet programs in place of a value. */
const isErrorValue = (text: string): boolean =>
  /^#(?:ref|value|name|null|num|n\/a|div\/0|spill|calc|error)[!?]?$|^Err:\d{3}$/i.test(text.trim()) ||
  /^#[\p{Lu}/\d]+[!?]$/u.test(text.trim());

/** Whether a text is the name of a row of sums. */
const isTotal = (text: string): boolean =>
  /^(?:grand |sub)?(?:total|sum|count|average|gesamt|summe|zwischensumme|totaal|totale|somme|suma|合計)(?:\s*[:=].*|\s+\S+)?$/i.test(
    text.trim(),
  );

/** Share of rows from which a tag is one of all records, such as "email". */
const usualShare = 0.8;

/** Tags of nearly every row of a list of tags, which tell no rows apart; none in a column of single labels. */
function usualTags(cells: readonly unknown[]): ReadonlySet<string> {
  const lists = cells.map(labelsOfCell).filter((labels) => labels.length > 0);
  if (lists.length < 10 || !lists.some((labels) => labels.length > 1)) return new Set();
  const counts = groupBy(
    lists.flatMap((labels) => [...new Set(labels)]),
    (label) => label,
  );
  const usual = [...counts].filter(([, own]) => own.length > usualShare * lists.length).map(([label]) => label);
  return lists.every((labels) => labels.length === 1 || labels.some((label) => !usual.includes(label)))
    ? new Set(usual.filter((label) => !lists.some((labels) => labels.length === 1 && labels[0] === label)))
    : new Set();
}

/** The labels of a cell: a list, or a text that contains one as JSON or Python writes it; empty for an empty cell. */
function labelsOfCell(cell: unknown): readonly string[] {
  const text = cellText(cell) ?? "";
  const list = Array.isArray(cell) ? (cell as readonly unknown[]) : listInText(text);
  if (list !== null) return list.map((item) => cellText(item) ?? "");
  return text === "" ? [] : [text];
}

function listInText(text: string): readonly unknown[] | null {
  if (!/^[[{].*[\]}]$/s.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    const choices = isJsonObject(value) ? (value["choices"] ?? value["labels"]) : value;
    return Array.isArray(choices) && choices.every((choice) => cellText(choice) !== null) ? choices : null;
  } catch {
    const [, inside] = /^\[\s*(['"].*['"])\s*\]$/.exec(text) ?? [];
    return inside?.split(",").map((item) => item.trim().replace(/^['"]|['"]$/g, "")) ?? null;
  }
}

const partOf = ({ cells }: GridRow, { part }: ChosenColumns): SourcePart | null =>
  part === null ? null : (partWords[(cellText(cells[part]) ?? "").toLowerCase()] ?? null);

function decisionsOf({ header, named, rows }: OpenedGrid, columns: ChosenColumns): readonly string[] {
  const { texts, label, part, role, conversation, alsoTexts, alsoLabels } = columns;
  const name = (column: number): string => header[column] ?? "";
  const quoted = (all: readonly number[]): string => all.map((column) => `"${name(column)}"`).join(", ");
  const used = new Set([
    ...texts,
    ...alsoTexts,
    ...alsoLabels,
    label,
    part,
    role,
    conversation?.id,
    conversation?.turn,
    conversation?.previous,
  ]);
  const unused = header.flatMap((_, column) => (used.has(column) || name(column) === "" ? [] : [column]));
  const also = (what: string, flag: string, [first, ...more]: readonly number[]): readonly string[] =>
    first === undefined
      ? []
      : [
          `${quoted([first, ...more])} also look${more.length === 0 ? "s" : ""} like a ${what}. To use ${more.length === 0 ? "it" : "one of them"}, set ${flag} "${name(first)}".`,
        ];
  const divided = rows.filter((row) => rowTexts(row, header, columns).length > 1).length;
  const said = role === null ? [] : [...new Set(rows.map(({ cells }) => cellText(cells[role]) ?? ""))].slice(0, 5);
  return [
    named === null ? "The file has no header row." : `${headerPlace(named)}.`,
    texts.length === 1
      ? `Texts come from ${quoted(texts)}, labels from "${name(label)}".`
      : `Texts come from ${quoted(texts)}, joined by a line break; labels from "${name(label)}". Send requests joined in the same way.`,
    ...textAdvice(columns, name),
    ...also("request text", "--text-column", alsoTexts),
    ...also("label", "--label-column", alsoLabels),
    ...(unused.length === 0 ? [] : [`Unused columns: ${quoted(unused)}.`]),
    ...(part === null ? [] : [`"${name(part)}" marks the rows for training, validation and testing.`]),
    ...(role === null
      ? []
      : [`"${name(role)}" contains the speaker (${said.join(", ")}); only rows of the user are used.`]),
    ...(conversation === null ? unusedPrevious(header) : [conversationDecision(conversation, name)]),
    ...(divided === 0 ? [] : [`${counted(divided, "cell has", "cells have")} several texts; each is used.`]),
  ];
}

const unusedPrevious = (header: readonly string[]): readonly string[] =>
  header
    .filter((name) => conversationNames.previous.test(plainName(name)))
    .map((name) => `"${name}" is not used, because no column contains the conversation: --conversation-column NAME.`);

function conversationDecision({ id, turn, previous }: ConversationColumns, name: (column: number) => string): string {
  const order = turn === null ? "in the order of the file" : `in the order of "${name(turn)}"`;
  const before = previous === null ? "of the request before" : `in "${name(previous)}"`;
  return (
    `"${name(id)}" contains the conversation: ${order}, the first request of each stands alone. The others are follow-ups with the ` +
    `workflow ${before}, and never examples. If every text stands alone: --conversation-column none.`
  );
}

/** What speaks against the chosen text column, or against the column whose name fits better. */
function textAdvice({ message, spoiled }: ChosenColumns, name: (column: number) => string): readonly string[] {
  return [
    ...(spoiled === null
      ? []
      : [
          `"${name(spoiled.column)}" was not chosen for the texts: ${spoiled.usable} of ${counted(spoiled.examined, "row")} can be used with it, ${spoiled.usableInstead} with the chosen column. The others have no text, repeat one, or have the text of a row with another label.`,
        ]),
    ...(message === null
      ? []
      : [
          `${message.map((column) => `"${name(column)}"`).join(" and ")} seem to be subject and body of one message. To join them: ${shellLine(joined(message, name))}. Requests must then be sent in the same form.`,
        ]),
  ];
}

/** The option `--text-column` for several columns. */
const joined = (columns: readonly number[], name: (column: number) => string): readonly string[] =>
  columns.flatMap((column) => ["--text-column", name(column)]);

function headerPlace({ at }: GridRow): string {
  if (!/^(?:line|row) /.test(at)) return "The fields are the columns";
  return at.endsWith(" 1") ? "The first row names the columns" : `The header in ${at} names the columns`;
}

/** Minimum number of columns for a table to be recognised as having one column per label. */
const fewestLabelColumns = 3;

/**
 * Converts a table whose columns are labels and whose cells are all texts to one row per cell; null for other tables.
 */
function columnPerLabel(
  { grid, header, named, above, rows }: OpenedGrid,
  { open, candidates }: OpenChoice,
): Grid | null {
  const filled = header.flatMap((name, column) => (name.trim() === "" ? [] : [{ name, column }]));
  const isTexts = ({ column }: { readonly column: number }): boolean => {
    const cells = rows.map(({ cells: own }) => cellText(own[column]) ?? "").filter((cell) => cell !== "");
    return cells.length > 0 && cells.filter((cell) => /\s/.test(cell)).length * 2 > cells.length;
  };
  const isWide = open === "label" && candidates.length === 0 && named !== null && filled.length >= fewestLabelColumns;
  if (!isWide || above.length > 0 || !filled.every(isTexts)) return null;
  const cells = rows.flatMap(({ at, cells: own }) =>
    filled.flatMap(({ name, column }) =>
      cellText(own[column]) === "" ? [] : [{ at: `${at} ${name}`, cells: [name, own[column]] }],
    ),
  );
  return { file: grid.file, rows: [{ at: "each column, the name of a label,", cells: ["intent", "text"] }, ...cells] };
}

/** A table whose labels are columns of marks or scores: a row has one in the columns of its labels. */
function markedColumns(
  { grid, header, rows }: OpenedGrid,
  { open }: OpenChoice,
): { readonly grid: Grid; readonly names: readonly string[] } | null {
  const numberOf = (cell: unknown): number => {
    const text = (cellText(cell) ?? "").toLowerCase();
    return text === "" || text === "false" ? 0 : text === "true" || text === "x" ? 1 : Number(text);
  };
  const isScore = (score: number): boolean => score >= 0 && score <= 1;
  const marks = header.flatMap((name, column) =>
    name !== "" &&
    rows.every(({ cells }) => isScore(numberOf(cells[column]))) &&
    rows.some(({ cells }) => numberOf(cells[column]) >= 0.5)
      ? [column]
      : [],
  );
  const names = withoutMark(marks.map((column) => header[column] ?? ""));
  const labelsOf = ({ cells }: GridRow): readonly string[] =>
    names.filter((_, index) => numberOf(cells[marks[index] ?? -1]) >= 0.5);
  const single = rows.filter((row) => labelsOf(row).length === 1).length;
  if (open !== "label" || marks.length < fewestLabelColumns || single * 2 < rows.length) return null;
  const others = header.flatMap((_, column) => (marks.includes(column) ? [] : [column]));
  const rest = (cells: readonly unknown[]): readonly unknown[] => others.map((column) => cells[column]);
  return {
    names,
    grid: {
      file: grid.file,
      rows: [
        { at: "the header", cells: [...rest(header), "intent"] },
        ...rows.map((row) => ({ at: row.at, cells: [...rest(row.cells), labelsOf(row)] })),
      ],
    },
  };
}

/** Names of columns of marks without what all of them begin with: "p_refund" and "p_renew" are "refund" and "renew". */
function withoutMark(names: readonly string[]): readonly string[] {
  const mark = /^(?:p|prob(?:a|ability)?|score|is|has|label|intent|class|cats?)[_.: -]+/i;
  const [begin] = mark.exec(names[0] ?? "") ?? [];
  return begin !== undefined && names.every((name) => name.startsWith(begin) && name.length > begin.length)
    ? names.map((name) => name.slice(begin.length))
    : names;
}

/** Maximum number of columns for which a hint has a command line. */
const mostHinted = 8;

/** Number of example rows shown when a person chooses at a terminal. */
const exampleRows = 3;

/** A choice that only a person can make, as included in the details of the error. */
export interface ColumnQuestion {
  readonly open: "text" | "label";
  readonly preview: TablePreview;
  readonly columns: readonly { readonly name: string; readonly examples: readonly string[] }[];
}

function unsettledColumns(
  opened: OpenedGrid,
  { open, candidates, possible, message }: OpenChoice,
  choices: TableChoices,
): SluiceError {
  const { grid, header, rows } = opened;
  const name = (column: number): string => header[column] ?? "";
  const [what, other, known] =
    open === "text"
      ? ["what the user said", "label", textColumnNames(choices.labelColumn)]
      : ["the label", "text", textColumnNames(choices.textColumn)];
  const kept = known.flatMap((column) => [`--${other}-column`, column]);
  const lineFor = (own: string): Invocation => command`sluice init FILE ${`--${open}-column`} ${own} ${kept}`;
  const examples = (column: number): readonly string[] =>
    rows.flatMap(({ cells }) => cellText(cells[column]) || []).slice(0, exampleRows);
  const columns = (candidates.length > 0 ? candidates : possible.filter((column) => name(column) !== "")).map(
    (column) => ({
      name: name(column),
      examples: examples(column),
    }),
  );
  const listed = (candidates.length > 0 ? columns.map(({ name: own }) => own) : header.filter((own) => own !== ""))
    .map((own) => `"${own}"`)
    .join(", ");
  const isOpen = candidates.length > 1;
  const valuesOf = (column: string): string =>
    isOpen && open === "label"
      ? `  # ${valuesSaid(
          rows.map(({ cells }) => cellText(cells[header.indexOf(column)]) ?? ""),
          meaningOf(column).text === 0 && !wordsOfLabel(column).some((word) => names.subject.includes(word)),
        )}`
      : "";
  const found = isOpen
    ? `${counted(candidates.length, "column")} may hold ${what}: ${listed}`
    : `no column seems to hold ${what}; found ${listed}`;
  return new SluiceError("DOCUMENT_INVALID", `${grid.file}: ${found}`, {
    hint: [
      columns.length === 0 && message === null ? nothingFits[open] : "Name it:",
      ...(message === null ? [] : say`\n${command`sluice init FILE ${joined(message, name)} ${kept}`}`),
      ...columns.slice(0, mostHinted).flatMap(({ name: own }) => ["\n", lineFor(own), valuesOf(own)]),
    ],
    details: { columns: header, open, candidates: candidates.map(name) },
    ...(isOpen ? { cause: new UnsettledColumns({ open, columns, preview: previewOf(opened) }) } : {}),
  });
}

/** What to do where no column could hold the text or the label. */
const nothingFits = {
  text: "Use a file with one request in each row.",
  label: "Give each row the workflow that a person chose, in a column such as intent; its values repeat.",
} as const;

/** Maximum displayed length of a value, in characters. */
const shownValue = 30;

/**
 * The number of distinct values of a column of labels, and the two most frequent ones.
 * @param shows  false if the values may be request texts, which are never shown
 */
function valuesSaid(values: readonly string[], shows: boolean): string {
  const counts = [
    ...groupBy(
      values.filter((value) => value !== ""),
      (value) => value,
    ),
  ].toSorted(([, a], [, b]) => b.length - a.length);
  const shown = counts.slice(0, 2).map(([value]) => `"${value.replaceAll(/\s+/g, " ").slice(0, shownValue)}"`);
  const more = counts.length > shown.length ? ", ..." : "";
  return `${counted(counts.length, "value")}${shows ? `: ${shown.join(", ")}${more}` : ""}`;
}

/** Passes the example rows of an open choice to the terminal prompt; they never appear in a message or log. */
export class UnsettledColumns extends Error {
  readonly question: ColumnQuestion;

  constructor(question: ColumnQuestion) {
    super("columns that a person has to tell apart");
    this.question = question;
  }
}

interface TableStart {
  /** The row with the column names; null if there is none. */
  readonly header: GridRow | null;
  /** Titles and notes above that row. */
  readonly above: readonly GridRow[];
  readonly rows: readonly GridRow[];
}

/** Maximum number of rows above the header. */
const mostTitles = 10;

/**
 * Finds the header row. Spreadsheets often begin with titles and notes, in one cell (which may be merged over the
 * table) or in few; these rows are skipped if a header follows.
 *
 * @param chosen  columns that the user specified; a row that has all of them is the header
 */
function findHeader(grid: readonly GridRow[], chosen: readonly string[]): TableStart {
  const widths = grid.slice(0, 4 * mostTitles).map(distinctTexts);
  const usual = widths.toSorted((a, b) => a - b)[widths.length >> 1] ?? 0;
  const titles = widths.slice(0, mostTitles).findIndex((width) => width > 1 && width * 2 >= usual);
  for (const count of new Set([Math.max(0, titles), 0])) {
    const [header, ...rows] = grid.slice(count);
    if (header !== undefined && (hasCells(header, chosen) || isHeader(header, rows)))
      return { header, above: grid.slice(0, count), rows };
  }
  return { header: null, above: [], rows: grid };
}

/** Whether `names` is not empty and the row has a cell for each of them. */
function hasCells({ cells }: GridRow, names: readonly string[]): boolean {
  const texts = new Set(cells.map(cellText));
  return names.length > 0 && names.every((name) => texts.has(name));
}

const distinctTexts = ({ cells }: GridRow): number => new Set(cells.map(cellText).filter((text) => text !== "")).size;
