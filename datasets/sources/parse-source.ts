import { counted } from "../../src/documents/number-text.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { command, say, SluiceError, type Text } from "../../src/base/error.js";
import { groupBy } from "../../src/base/group-by.js";
import type { SourceFile } from "../importers/imported-dataset.js";
import { separateFollowUps } from "./conversations.js";
import { withoutSuggestions } from "./annotations.js";
import type { MaterialChoices } from "./choices.js";
import { findStructures } from "./find-structures.js";
import { type FoundTable, type Groups, groupsIn, type OpenedFile, partOfPath, stemOf } from "./groups.js";
import { settleLabels } from "./labels.js";
import type { KindOfMaterial, LeftOutRow, ReadMaterial, SourceMaterial, SourceText } from "./parsed-source.js";
import { leftOutReasons, type SourceKind } from "../../src/documents/choices.js";
import { meaningOf, partWords, plainName, speakers } from "./names.js";
import { isJsonObject, textAt } from "./parse-json.js";
import { type Document, readDocument } from "./read-document.js";
import { gridOfObjects } from "./tables/grid.js";
import { decodedTwice, decodeText } from "./files/decode-text.js";
import { withoutMarks } from "./plain-text.js";
import { type OpenChoice, wordsOf } from "./tables/choose-columns.js";
import { openGrid, type OpenedGrid, textsOfGrid } from "./tables/texts-of-grid.js";
import { defaultLanguageRule, languageName, languagesIn } from "../../src/base/language.js";
import { shareOf } from "./share-of.js";
import { cleanText, textWarnings } from "./text-checks.js";
import { isOpenApi, readOpenApi } from "./tools/openapi.js";
import { isAutomation, readDeclarations, readToolList } from "./tools/tool-lists.js";
import { textKey } from "../near-duplicates.js";

/**
 * Reads a source of any kind. The kind is detected from the bytes and the structure of the files, never from a flag.
 * Every row is either in `texts` or in `leftOut`.
 * @param files  one file, or all files of a folder with their relative paths
 * @throws {SluiceError} FORMAT_UNKNOWN  no labelled requests were recognised; the message describes what was found
 * @throws {SluiceError} DOCUMENT_INVALID, TOO_LARGE  as thrown by the readers
 */
export async function parseSource(files: readonly SourceFile[], choices: MaterialChoices): Promise<SourceMaterial> {
  const {
    used,
    columns = null,
    preview = null,
    warnings = [],
    ids = new Map(),
    ...read
  } = await readKindOfMaterial(files, choices);
  const { texts, leftOut: repeated } = settleRepeats(read.texts);
  const leftOut = [...read.leftOut, ...repeated];
  const sources = used.map(({ file, bytes }) => ({ file, sha256: sha256Hex(bytes), licence: null }));
  return {
    ...read,
    texts,
    leftOut,
    columns,
    preview,
    warnings: [...warnings, ...lossWarnings(leftOut, texts.length + read.followUps.length)],
    sources,
    ids,
  };
}

/** Warns if most rows are left out for the same reason, and says how to decide between two labels of a text. */
function lossWarnings(leftOut: readonly LeftOutRow[], used: number): readonly Text[] {
  const all = used + leftOut.length;
  const lost = [...groupBy(leftOut, ({ reason }) => reason)]
    .filter(([, rows]) => rows.length * 2 > all)
    .map(
      ([reason, rows]) =>
        `${rows.length} of ${counted(all, "row")} left out: ${leftOutReasons[reason]}. left-out.csv lists them.`,
    );
  const doubted = leftOut.filter(({ reason }) => reason === "two_labels").length;
  if (doubted === 0) return lost;
  const found = `${counted(doubted, "row has a text", "rows have texts")} with two labels: left-out.csv names the labels. Correct the file, then run: `;
  return [...lost, say`${found}${command`sluice init FILE --add`}`];
}

/** Like `parseSource`, without removing repeated texts that stand alone. @throws {SluiceError} as `parseSource` */
export async function readKindOfMaterial(
  files: readonly SourceFile[],
  choices: MaterialChoices,
): Promise<KindOfMaterial & Pick<SourceMaterial, "followUps">> {
  const opened = await openFiles(files, choices);
  const found = textsIn(opened, choices) ?? toolsIn(opened);
  if (found === null) throw refusal(opened);
  const read = { ...found, texts: found.texts.map(decodedOnce) };
  const repaired = read.texts.filter(({ text }, index) => text !== found.texts[index]?.text).length;
  const clean = (text: SourceText): SourceText => ({ ...text, text: cleanText(text.text) });
  const texts = choices.clean === true ? read.texts.map(clean) : read.texts;
  const changed = texts.filter(({ text }, index) => text !== read.texts[index]?.text).length;
  const settled = settleLabels(settleParts(texts), choices);
  const labels = new Set(settled.texts.map(({ label }) => label));
  requireCatalogSize(Math.max(labels.size, read.workflows.length));
  return {
    ...read,
    ...separateFollowUps(settled.texts, settled.settled),
    ids: settled.ids,
    workflows: texts.length === 0 ? read.workflows : read.workflows.filter(({ label }) => labels.has(label)),
    leftOut: [...read.leftOut, ...settled.leftOut],
    decisions: [
      ...read.decisions,
      ...unusedFiles(opened, read.used),
      ...settled.decisions,
      ...(repaired === 0
        ? []
        : [`${counted(repaired, "text was", "texts were")} encoded twice (Ã© for é) and repaired.`]),
      ...(changed === 0
        ? []
        : [`${counted(changed, "text was", "texts were")} cleaned of quoted emails, signatures and HTML.`]),
      ...cleaningLosses(read.texts, texts),
    ],
    warnings: [...settled.warnings, ...textWarnings(settled.texts), ...(await languageWarnings(settled.texts))],
  };
}

/** A text, or its original if a program encoded it as UTF-8 and read the bytes as Windows-1252. */
function decodedOnce(text: SourceText): SourceText {
  const label = text.label === null ? null : decodedTwice(text.label);
  return { ...text, text: decodedTwice(text.text), label };
}

/** Number of words below which a text says little. */
const fewWords = 3;

/** How many texts say little, or the same as another one, since they were cleaned; nothing if there are none. */
function cleaningLosses(before: readonly SourceText[], after: readonly SourceText[]): readonly string[] {
  const countsOf = (texts: readonly SourceText[]): ReadonlyMap<string, number> =>
    new Map([...groupBy(texts, ({ text }) => textKey(text))].map(([key, own]) => [key, own.length]));
  const isRepeated = (counts: ReadonlyMap<string, number>, text: string): boolean =>
    (counts.get(textKey(text)) ?? 0) > 1;
  const pairs = after.flatMap(({ text }, index) => {
    const old = before[index]?.text ?? text;
    return old === text ? [] : [{ old, text }];
  });
  if (pairs.length === 0) return [];
  const [old, now] = [countsOf(before), countsOf(after)];
  const short = pairs.filter((pair) => wordsOf(pair.text) < fewWords && wordsOf(pair.old) >= fewWords).length;
  const equal = pairs.filter((pair) => isRepeated(now, pair.text) && !isRepeated(old, pair.old)).length;
  const said = [
    ...(short === 0 ? [] : [`${counted(short, "text")} shorter than ${fewWords} words`]),
    ...(equal === 0 ? [] : [`${counted(equal, "text")} equal to another one`]),
  ];
  return said.length === 0 ? [] : [`The cleaning made ${said.join(" and ")}.`];
}

/** Maximum number of workflows of a catalog. */
const mostWorkflows = 50_000;

function requireCatalogSize(workflows: number): void {
  if (workflows <= mostWorkflows) return;
  throw new SluiceError(
    "TOO_LARGE",
    `found ${workflows} different labels, expected at most ${mostWorkflows}, the limit of a catalog`,
    {
      hint: say`Check that the column of labels is the intended one: ${command`sluice init FILE --label-column NAME`}`,
    },
  );
}

/**
 * Opens the files, including those inside archives. If there are several files, an unreadable file is reported instead
 * of refusing the source.
 */
async function openFiles(files: readonly SourceFile[], choices: MaterialChoices): Promise<readonly OpenedFile[]> {
  const opened: OpenedFile[] = [];
  for (const source of files) {
    const document = await readDocument(source, choices).catch((error: unknown): Document => {
      if (!(error instanceof SluiceError) || files.length === 1) throw error;
      return { form: "unreadable", why: error.message };
    });
    if (document.form === "folder") opened.push(...(await openFiles(document.files, choices)));
    else if (document.form === "values") {
      opened.push({ source, document: { ...document, values: document.values.map(withoutSuggestions) } });
    } else opened.push({ source, document });
  }
  return opened;
}

/**
 * Normalises the parts of texts. A source without training texts has no parts. If some texts have a part, texts without
 * one count as training texts. Training texts come first, so that of repeated texts the test text is left out.
 */
function settleParts(texts: readonly SourceText[]): readonly SourceText[] {
  const isTraining = ({ part }: SourceText): boolean => part === null || part === "train";
  if (texts.every(({ part }) => part === null)) return texts;
  if (!texts.some(isTraining)) return texts.map((text) => ({ ...text, part: null }));
  const parted = texts.map((text) => ({ ...text, part: text.part ?? ("train" as const) }));
  return [...parted.filter(isTraining), ...parted.filter((text) => !isTraining(text))];
}

/**
 * Reads groups of texts and tables with known column names; otherwise a single table whose columns are recognised by
 * content, or one text file per label.
 */
function textsIn(opened: readonly OpenedFile[], choices: MaterialChoices): KindOfMaterial | null {
  return ownRows(opened, choices) ?? groupsAndTables(opened, choices);
}

function groupsAndTables(opened: readonly OpenedFile[], choices: MaterialChoices): KindOfMaterial | null {
  const groups = groupsIn(opened, choices);
  const tables = [...groups.tables, ...opened.flatMap((one) => tableOf(one, choices))];
  const named = tables.filter(({ table }) => isNamedTable(table));
  const hasGroups = groups.texts.length > 0 || groups.leftOut.some(({ reason }) => reason !== "no_label");
  if (named.length === 0 && !hasGroups) {
    const alone = isChosen(choices)
      ? []
      : [filePerLabel(opened), linePerLabel(opened)].find((files) => files.length > 0);
    if (alone !== undefined && alone.length > 0) return textsIn(alone, choices);
    requireOneFile(tables);
  }
  const chosen = named.length > 0 || hasGroups ? named : tables.slice(0, 1);
  return hasGroups || chosen.length > 0 ? together(opened, groups, chosen, choices) : null;
}

/** Whether a person named a column. */
const isChosen = ({ textColumn, labelColumn }: MaterialChoices): boolean =>
  textColumn !== undefined || labelColumn !== undefined;

/** Reads a file of requests as Sluice writes them, of which null as the workflow means out of scope; null for others. */
function ownRows([only, ...others]: readonly OpenedFile[], choices: MaterialChoices): KindOfMaterial | null {
  const rows: unknown = only?.document.form === "values" ? only.document.values[0] : undefined;
  if (only === undefined || others.length > 0 || isChosen(choices) || !Array.isArray(rows)) return null;
  const { file } = only.source;
  const texts = rows.flatMap((row: unknown, index): readonly SourceText[] => {
    if (!isJsonObject(row)) return [];
    const { text, workflow_id: label, previous } = row;
    const isOwn = typeof text === "string" && (typeof label === "string" || label === null) && previous === undefined;
    return isOwn ? [{ file, at: `line ${index + 1}`, text, label, part: null }] : [];
  });
  if (texts.length === 0 || texts.length < rows.length) return null;
  const decisions = ['Texts come from "text", workflows from "workflow_id"; null is out of scope.'];
  return { kind: "jsonl", used: [only.source], texts, leftOut: [], workflows: [], decisions };
}

/** @throws {SluiceError} DOCUMENT_INVALID  the texts are in one file and their labels in another */
function requireOneFile(tables: readonly FoundTable[]): void {
  const lacking = (what: OpenChoice["open"]): FoundTable | undefined =>
    tables.find(
      ({ table: { columns } }) => "open" in columns && columns.open === what && columns.candidates.length === 0,
    );
  const [texts, labels] = [lacking("label"), lacking("text")];
  if (texts === undefined || labels === undefined) return;
  const shared = texts.table.header.find((name) => name !== "" && labels.table.header.includes(name));
  if (shared === undefined) return;
  throw new SluiceError(
    "DOCUMENT_INVALID",
    `${texts.source.file}: has texts without labels; ${labels.source.file} seems to hold the labels`,
    { hint: `Join the two files by the column "${shared}", and use the joined file.` },
  );
}

/** Combines the texts of groups and tables; the part of a table is derived from the path of its file. */
function together(
  opened: readonly OpenedFile[],
  groups: Groups,
  chosen: readonly FoundTable[],
  choices: MaterialChoices,
): KindOfMaterial {
  const { classes } = groups;
  const grids = chosen.map(({ table, source, part }) => ({ source, part, one: textsOfGrid(table, choices) }));
  const isNamed =
    classes !== null && grids.some(({ one }) => one.texts.some(({ label }) => classes.names.has(label ?? "")));
  const read = grids.map(({ source, part, one }) => {
    const inPart = opened.length > 1 ? (part ?? partOfPath(source.file)) : part;
    const texts = one.texts.map((text) => ({
      ...text,
      label: classes?.names.get(text.label ?? "") ?? text.label,
      part: text.part ?? inPart,
    }));
    return { ...one, notes: chosen[0]?.notes ?? [], texts };
  });
  const [first, ...others] = read;
  const used = new Set([...groups.used, ...chosen.map(({ source }) => source), ...(isNamed ? [classes.source] : [])]);
  const isTable = groups.texts.length === 0 && first !== undefined;
  const files = [...new Set(chosen.map(({ source }) => source.file))];
  return {
    kind: isTable ? (chosen[0]?.kind ?? "folder") : kindOf(opened),
    used: opened.map(({ source }) => source).filter((source) => used.has(source)),
    texts: [...groups.texts, ...read.flatMap(({ texts }) => texts)],
    leftOut: [...groups.leftOut, ...read.flatMap(({ leftOut }) => leftOut)],
    workflows: groups.workflows,
    ...(isTable && others.length === 0 ? tableFacts(first) : {}),
    decisions: [
      ...groups.decisions,
      ...(first === undefined ? [] : [...first.notes, ...first.decisions]),
      ...(files.length > 1 ? [`Tables: ${files.join(", ")}.`] : []),
      ...(isNamed ? [`Names of the labels come from ${classes.source.file}.`] : []),
    ],
  };
}

const tableFacts = ({ columns = null, preview = null }: ReadMaterial) => ({ columns, preview });

function kindOf([only, ...others]: readonly OpenedFile[]): SourceKind {
  if (others.length > 0) return "folder";
  return only !== undefined && "kind" in only.document ? only.document.kind : "text";
}

/** The table of a file, or a list of records of a document without recognised rows. */
function tableOf({ source, document }: OpenedFile, choices: MaterialChoices): readonly FoundTable[] {
  if (document.form === "grid") {
    return [{ source, ...document, part: null, table: openGrid(document.grid, choices) }];
  }
  if (document.form !== "values") return [];
  const [root] = document.values;
  const found = findStructures(source.file, root);
  const isRead = found.tables.length > 0 || found.texts.some(({ label }) => label !== undefined);
  if (readToolList(root) !== null || isOpenApi(root) || documentKind(root) !== null || isRead) return [];
  const row = document.kind === "jsonl" ? "line" : "row";
  const open = (items: readonly unknown[]): FoundTable => ({
    source,
    ...document,
    part: null,
    table: openGrid(
      gridOfObjects(source.file, items, (index) => `${row} ${index + 1}`),
      choices,
    ),
  });
  if (Array.isArray(root)) return root.length === 0 ? [] : [open(root)];
  return found.lists
    .map(({ items }) => open(items))
    .filter(({ table }) => isNamedTable(table))
    .slice(0, 1);
}

/** Whether the text and label columns are recognised by name. */
const isNamedTable = ({ header, columns }: OpenedGrid): boolean =>
  !("open" in columns) &&
  columns.texts.map((column) => meaningOf(header[column] ?? "")).some(({ text, speaker }) => text > 0 || speaker) &&
  meaningOf(header[columns.label] ?? "").label > 0;

/** Average number of lines from which a file holds one text per line. */
const linesOfList = 5;

/**
 * Reads text files without labels of their own: one file per label with a text per line, one folder per label with a
 * text per file, or one folder per label with lists for training and testing. Empty for any other source.
 */
function filePerLabel(opened: readonly OpenedFile[]): readonly OpenedFile[] {
  const files = opened.flatMap(({ source, document }) => {
    const isPlain = document.form === "lines" || (document.form === "grid" && /\.txt$/i.test(source.file));
    return isPlain && !/readme|licen[cs]e|notice/i.test(source.file)
      ? [{ source, lines: decodeText(source.bytes).text.split(/\r?\n/) }]
      : [];
  });
  if (files.length < 2) return [];
  const folderOf = (file: string): string => file.split("/").slice(0, -1).join("/");
  const folders = new Set(files.map(({ source }) => folderOf(source.file)));
  const isPart = ({ source }: (typeof files)[number]): boolean =>
    partWords[stemOf(source.file).toLowerCase()] !== undefined;
  const isByFolder = folders.size > 1 && (folders.size < files.length || files.every(isPart));
  const filled = files.reduce((sum, { lines }) => sum + lines.filter((line) => line.trim() !== "").length, 0);
  const isText = isByFolder && !files.every(isPart) && filled < linesOfList * files.length;
  return files.map(({ source, lines }) => {
    const label = stemOf(isByFolder ? `${folderOf(source.file)}.` : source.file);
    const texts = (isText ? [lines.join("\n")] : lines).flatMap((line, index) =>
      line.trim() === ""
        ? []
        : [{ at: `line ${index + 1}`, text: withoutMarks(line), label, part: null, language: null }],
    );
    return { source, document: { form: "marked", lines: { texts, others: [], explicit: true } } };
  });
}

/** Minimum share of lines with a label before a colon. */
const leastPrefixed = 0.9;

/** Reads a single file with a label before each text, as in `refund: my money back`; empty for any other source. */
function linePerLabel([only, ...others]: readonly OpenedFile[]): readonly OpenedFile[] {
  if (only === undefined || others.length > 0 || only.document.form === "values") return [];
  const lines = decodeText(only.source.bytes)
    .text.split(/\r?\n/)
    .flatMap((line, index) => {
      const [, label, text] = /^\s*([\p{L}\p{N}_ ./-]{2,40}):\s+(\S.*)$/u.exec(line) ?? [];
      return line.trim() === "" ? [] : [{ at: `line ${index + 1}`, label, text }];
    });
  const found = lines.flatMap(({ at, label, text }) =>
    label === undefined || text === undefined ? [] : [{ at, label, text }],
  );
  const labels = new Set(found.map(({ label }) => plainName(label)));
  const isDialogue = [...labels].some((label) => speakers[label] !== undefined);
  if (found.length < leastPrefixed * lines.length || labels.size < 2 || labels.size * 2 > found.length || isDialogue)
    return [];
  const texts = found.map((line) => ({ ...line, part: null, language: null }));
  return [{ source: only.source, document: { form: "marked", lines: { texts, others: [], explicit: true } } }];
}

/** Reads tool lists and API descriptions; otherwise names with descriptions. null if there are none. */
function toolsIn(opened: readonly OpenedFile[]): KindOfMaterial | null {
  const read = (find: (root: unknown) => ReadMaterial | null) =>
    opened.flatMap(({ source, document }) => {
      const root = document.form === "values" ? document.values[0] : undefined;
      const found = namesServers(root) ? null : find(root);
      return found === null ? [] : [{ source, ...found, isApi: isOpenApi(root) }];
    });
  const tools = read((root) => (isOpenApi(root) ? readOpenApi(root) : readToolList(root)));
  const found = tools.length > 0 ? tools : read(readDeclarations);
  if (found.length === 0) return null;
  return {
    kind: found.every(({ isApi }) => isApi) ? "openapi" : "tools",
    texts: [],
    leftOut: [],
    workflows: found.flatMap(({ workflows }) => workflows),
    used: found.map(({ source }) => source),
    decisions: [...new Set(found.flatMap(({ decisions }) => decisions))],
  };
}

const namesServers = (root: unknown): boolean =>
  isJsonObject(root) &&
  (isJsonObject(root["mcpServers"]) ||
    isJsonObject(root["servers"]) ||
    /modelcontextprotocol.*server/.test(textAt(root, "$schema") ?? ""));

/** Maximum number of files listed in a message. */
const namedFiles = 8;

function unusedFiles(opened: readonly OpenedFile[], used: readonly SourceFile[]): readonly string[] {
  const unread = opened.filter(({ source }) => !used.includes(source)).map(unusedFile);
  const more = unread.length > namedFiles ? `, and ${unread.length - namedFiles} more` : "";
  return unread.length === 0 ? [] : [`Skipped files: ${unread.slice(0, namedFiles).join(", ")}${more}.`];
}

function unusedFile({ source: { file }, document }: OpenedFile): string {
  if (document.form === "unreadable") return `${file} (${document.why.replace(`${file}: `, "")})`;
  if (document.form !== "grid") return file;
  const { columns } = openGrid(document.grid, {});
  return "open" in columns ? `${file} (no ${columns.open} column)` : file;
}

/** The error for a source that cannot be read, with a description of what was found. */
function refusal(opened: readonly OpenedFile[]): SluiceError {
  const [only] = opened;
  if (only === undefined) return unknownFormat("the folder", "contains no table and no JSON, YAML or text file");
  const unread = opened.find(({ document }) => document.form === "unreadable" && document.hint !== undefined) ?? only;
  const { source, document } = unread;
  if (document.form === "unreadable" && document.hint !== undefined) {
    return new SluiceError("FORMAT_UNKNOWN", `${source.file}: ${document.why}, which is not read`, {
      hint: document.hint,
    });
  }
  if (opened.length > 1) {
    return unknownFormat(
      "the folder",
      `contains ${counted(opened.length, "file")}; none contains rows, or texts grouped by name`,
    );
  }
  if (document.form === "unreadable") return unknownFormat(source.file, document.why);
  if (document.form !== "values") return unknownFormat(source.file, "found one column of text and no labels");
  const [root] = document.values;
  const kind = documentKind(root);
  if (kind !== null) {
    return new SluiceError(
      "FORMAT_UNKNOWN",
      `${source.file}: found ${kind.found}, expected labelled requests or tool definitions`,
      {
        hint: kind.hint,
      },
    );
  }
  if (namesServers(root)) {
    return new SluiceError("FORMAT_UNKNOWN", `${source.file}: names MCP servers, not their tools`, {
      hint: say`Save a server's response to tools/list as JSON, and use that file: ${command`sluice init tools.json`}`,
    });
  }
  const shape = shapeOf(root).join(", ") || "no key";
  return unknownFormat(source.file, `${document.kind === "yaml" ? "YAML" : "JSON"}: found texts at ${shape}`);
}

/** What a document without requests and tools is, and what to use instead; null if it is not known. */
function documentKind(root: unknown): { readonly found: string; readonly hint: Text } | null {
  if (isAutomation(root)) {
    return {
      found: "the steps of an automation",
      hint: "Write the requests that should start it, one row each with a text and a label.",
    };
  }
  const info = isJsonObject(root) ? root["info"] : null;
  if (/postman/.test(textAt(info, "schema") ?? "") || (isJsonObject(info) && "_postman_id" in info)) {
    return {
      found: "a Postman collection",
      hint: say`Export the API as OpenAPI, and use that file: ${command`sluice init openapi.json`}`,
    };
  }
  if ((textAt(root, "kind") ?? "").startsWith("discovery#")) {
    return {
      found: "a Google API discovery document",
      hint: say`Convert it to OpenAPI, and use that file: ${command`sluice init openapi.json`}`,
    };
  }
  return null;
}

function unknownFormat(what: string, found: string): SluiceError {
  return new SluiceError("FORMAT_UNKNOWN", `${what}: ${found}; expected labelled requests or tool definitions`, {
    hint:
      "Write one row for each request, with a text and a label: CSV, or JSON such as " +
      '{"text": "…", "intent": "…"}. Exports of Rasa, Dialogflow, LUIS, Watson, Lex, Alexa and others are read as they are.',
  });
}

/** Number of examined texts; more do not change the share. */
const examined = 1000;
const proposal = say` Models that read Arabic, Chinese, Japanese, Korean, Russian, Thai, Turkish and eight European languages: ${command`sluice init FILE --models multilingual`}`;

/**
 * Minimum share of texts in other languages that causes a warning. A smaller share can be English texts whose language
 * was detected wrongly.
 */
const leastShare = 0.05;

/**
 * Warns of texts that are not in English, from which the shipped models learned. The warning has their
 * share, the most common languages and three positions.
 * @see ELD, an n-gram language detector
 */
export async function languageWarnings(texts: readonly SourceText[]): Promise<readonly Text[]> {
  const step = Math.max(1, Math.floor(texts.length / examined));
  const sample = texts.filter((_, index) => index % step === 0);
  const read = await Promise.all(
    sample.map(async (text) => ({ text, languages: await languagesIn(text.text, defaultLanguageRule) })),
  );
  const told = read.flatMap(({ text, languages: [language] }) => (language === undefined ? [] : [{ text, language }]));
  const foreign = told.filter(({ language }) => language !== "en");
  if (foreign.length === 0 || foreign.length < leastShare * told.length) return [];
  const counts = new Map<string, number>();
  for (const { language } of foreign) counts.set(language, (counts.get(language) ?? 0) + 1);
  const commonest = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 3);
  const languages = commonest.map(([tag, count]) => `${languageName(tag)} ${count}`).join(", ");
  const places = foreign.slice(0, 3).map(({ text }) => text.at);
  const warning =
    `${shareOf(foreign.length, told.length)} do not seem to be in English (${languages}), which the default models learned from: ` +
    `such requests need examples in their language, and a claim covers the languages that it names. For example: ${places.join(", ")}.`;
  return [foreign.length * 2 > told.length ? say`${warning}${proposal}` : warning];
}

/**
 * Keeps the first of several texts that differ only in case, punctuation and white space. If such texts have different
 * labels, all of them are left out, because the right label is unknown.
 */
function settleRepeats(found: readonly SourceText[]): {
  readonly texts: readonly SourceText[];
  readonly leftOut: readonly LeftOutRow[];
} {
  const labelsOf = new Map<string, Map<string | null, SourceText>>();
  for (const text of found) {
    const key = textKey(text.text);
    const firsts = labelsOf.get(key) ?? new Map<string | null, SourceText>();
    if (!firsts.has(text.label)) firsts.set(text.label, text);
    labelsOf.set(key, firsts);
  }
  const seen = new Set<string>();
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = [];
  for (const text of found) {
    const key = textKey(text.text);
    const { file, at } = text;
    const others = [...(labelsOf.get(key)?.values() ?? [])].filter(({ label }) => label !== text.label);
    if (others.length > 0) leftOut.push({ file, at, reason: "two_labels", detail: labelsText(text, others) });
    else if (seen.has(key)) leftOut.push({ file, at, reason: "repeated" });
    else texts.push(text);
    seen.add(key);
  }
  return { texts, leftOut };
}

/** The label of a text, and where the same text has other labels. */
function labelsText(text: SourceText, others: readonly SourceText[]): string {
  const placeOf = ({ file, at }: SourceText): string => (file === text.file ? at : `${file} ${at}`);
  const parts = others.map((other) => `${placeOf(other)}: ${labelText(other)}`);
  return ` (here: ${labelText(text)}; ${parts.join("; ")})`;
}

const labelText = ({ label }: SourceText): string => label?.replaceAll(/\s+/gu, " ") ?? "out of scope";

/** Maximum depth of the description. */
const deepest = 12;

/** Maximum number of values that are visited. */
const mostVisited = 20_000;

/**
 * The paths of the texts of a document, e.g. "intents[99].examples[].text", most frequent first. A number is the length
 * of the first list at that path.
 */
function shapeOf(root: unknown): readonly string[] {
  const counts = new Map<string, number>();
  const sizes = new Map<string, number>();
  let visited = 0;
  const visit = (value: unknown, path: string, depth: number): void => {
    visited += 1;
    if (visited > mostVisited || depth > deepest) return;
    if (Array.isArray(value)) {
      const below = `${path}[]`;
      sizes.set(below, Math.max(sizes.get(below) ?? 0, value.length));
      for (const item of value) visit(item, below, depth + 1);
    } else if (isJsonObject(value)) {
      const entries = Object.entries(value);
      const isMap = entries.length > 20;
      for (const [key, item] of entries) visit(item, `${path}${path === "" ? "" : "."}${isMap ? "*" : key}`, depth + 1);
    } else if (typeof value === "string") counts.set(path, (counts.get(path) ?? 0) + 1);
  };
  visit(root, "", 0);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([path]) => path.replace(/\[\]/, `[${sizes.get(path.slice(0, path.indexOf("[]") + 2)) ?? ""}]`));
}
