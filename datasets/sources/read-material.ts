import { sha256Hex } from "../../src/digest/sha256.js";
import { SluiceError } from "../../src/errors/error.js";
import { groupBy } from "../../src/stats/group-by.js";
import type { SourceFile } from "../importers/imported-dataset.js";
import type { MaterialChoices } from "./choices.js";
import {
  findStructures,
  type GroupText,
  inputsOf,
  isFallback,
  isLanguage,
  shapeOf,
  type Structures,
} from "./find-structures.js";
import { isZip, unzip } from "./files/unzip.js";
import { namedSome, settleLabels } from "./labels.js";
import type {
  KindOfMaterial,
  LeftOutRow,
  ReadMaterial,
  SourceKind,
  SourceMaterial,
  SourcePart,
  SourceText,
  SourceWorkflow,
} from "./material.js";
import { isNamed, meaningOf, names, partWords } from "./names.js";
import { isJsonObject, textAt } from "./parse-json.js";
import { fromTemplate, isTemplate, usableText, withoutMarks } from "./plain-text.js";
import { type Document, readDocument } from "./read-document.js";
import { settleRepeats } from "./settle-repeats.js";
import { gridOfObjects } from "./tables/grid.js";
import { readXlsx } from "./tables/read-xlsx.js";
import { openGrid, textsOfGrid } from "./tables/texts-of-grid.js";
import { cleanText, textWarnings } from "./text-checks.js";
import { isOpenApi, readOpenApi } from "./tools/openapi.js";
import { readDeclarations, readToolList } from "./tools/tool-lists.js";

/**
 * Reads a source whatever its kind: the kind follows from the bytes and the structure of the files, never from a flag.
 * Every row ends in `texts` or in `leftOut`.
 * @param files  one file, or all files of a folder with their paths inside of it
 * @throws {SluiceError} FORMAT_UNKNOWN  no structure was found; the message says what was seen
 * @throws {SluiceError} SYNTAX_INVALID, SCHEMA_INVALID, DATASET_EMPTY, TOO_LARGE  as the readers
 */
export async function readMaterial(files: readonly SourceFile[], choices: MaterialChoices): Promise<SourceMaterial> {
  const read = await readKindOfMaterial(files, choices);
  const { texts, leftOut } = settleRepeats(read.texts);
  return {
    kind: read.kind,
    texts,
    workflows: read.workflows,
    leftOut: [...read.leftOut, ...leftOut],
    decisions: read.decisions,
    warnings: read.warnings ?? [],
    columns: read.columns ?? null,
    sources: read.used.map(({ file, bytes }) => ({ file, sha256: sha256Hex(bytes), licence: null })),
  };
}

/**
 * Like `readMaterial`, without merging repeated texts.
 * @throws {SluiceError} as `readMaterial`
 */
export async function readKindOfMaterial(
  files: readonly SourceFile[],
  choices: MaterialChoices,
): Promise<KindOfMaterial> {
  const read = await readByKind(files, choices);
  const labels = new Set(read.texts.map(({ label }) => label)).size;
  const workflows = Math.max(labels, read.workflows.length);
  if (workflows <= mostWorkflows) return read;
  throw new SluiceError("TOO_LARGE", `found ${workflows} different labels, a catalog has at most ${mostWorkflows}`, {
    hint: "Check that the column of labels is the intended one: sluice init FILE --label-column NAME",
  });
}

/** Workflows of a catalog. */
const mostWorkflows = 50_000;

async function readByKind(files: readonly SourceFile[], choices: MaterialChoices): Promise<KindOfMaterial> {
  const [first] = files;
  if (first === undefined) throw unknownFormat("the folder", "contains no table and no JSON, YAML or text file");
  const read = await (files.length > 1 ? readFolder(files, choices) : readFile(first, choices));
  const cleaned =
    choices.clean === true ? read.texts.map((text) => ({ ...text, text: cleanText(text.text) })) : read.texts;
  const changed = cleaned.filter(({ text }, index) => text !== read.texts[index]?.text).length;
  const settled = settleLabels(settleParts(cleaned), choices);
  const labels = new Set(settled.texts.map(({ label }) => label));
  return {
    ...read,
    texts: settled.texts,
    workflows: read.texts.length === 0 ? read.workflows : read.workflows.filter(({ label }) => labels.has(label)),
    leftOut: [...read.leftOut, ...settled.leftOut],
    decisions: [
      ...read.decisions,
      ...settled.decisions,
      ...(changed === 0 ? [] : [`${changed} texts were cleaned of quoted mails, signatures and HTML.`]),
    ],
    warnings: [...(read.warnings ?? []), ...settled.warnings, ...textWarnings(settled.texts)],
  };
}

/**
 * Parts only where there is something to learn from: a source that holds nothing but tests has no parts. Where some
 * texts are tests, all others are for training. Training texts come first, so that a repeated test is the one left out.
 */
function settleParts(texts: readonly SourceText[]): readonly SourceText[] {
  const isTraining = ({ part }: SourceText): boolean => part === null || part === "train";
  if (texts.every(({ part }) => part === null)) return texts;
  if (!texts.some(isTraining)) return texts.map((text) => ({ ...text, part: null }));
  const parted = texts.map((text) => ({ ...text, part: text.part ?? ("train" as const) }));
  return [...parted.filter(isTraining), ...parted.filter((text) => !isTraining(text))];
}

/** One file; an archive is a folder. */
async function readFile(source: SourceFile, choices: MaterialChoices): Promise<KindOfMaterial> {
  const { file, bytes } = source;
  if (isZip(bytes)) {
    const inside = unzip(source);
    if (inside.some(({ file: name }) => name === "xl/workbook.xml"))
      return { kind: "xlsx", used: [source], ...(await readXlsx(source, choices)) };
    return { ...(await readFolder(inside, choices)), used: [source] };
  }
  const document = await readDocument(source);
  switch (document.form) {
    case "grid": {
      const read = textsOfGrid(document.grid, choices);
      return { kind: document.kind, used: [source], ...read, decisions: [...document.notes, ...read.decisions] };
    }
    case "values":
      return { used: [source], ...readValues(file, document, choices) };
    case "marked": {
      const found = foundIn([{ source, document }], choices);
      return { kind: "text", ...found };
    }
    case "lines":
      if (file.endsWith(".utterances.txt")) return readFolder([source], choices);
      throw unknownFormat(file, "is text in one column, without labels");
    default:
      throw unknownFormat(file, document.form === "unreadable" ? document.why : "it is no workbook");
  }
}

type Values = Extract<Document, { readonly form: "values" }>;

/** JSON or YAML: an API description, a tool list, groups of texts and rows, or a list of records. */
function readValues(
  file: string,
  document: Values,
  choices: MaterialChoices,
): ReadMaterial & { readonly kind: SourceKind } {
  const { kind, values } = document;
  const [root] = values;
  const [said] = /^(?:JSON|YAML|JSON Lines)/.exec(kind === "yaml" ? "YAML" : "JSON") ?? ["JSON"];
  if (isOpenApi(root)) return { kind: "openapi", ...readOpenApi(root) };
  const tools = readToolList(root);
  if (tools !== null) return { kind: "tools", ...tools };
  const found = foundIn([{ source: { file, bytes: new Uint8Array() }, document }], choices);
  if (found.texts.length + found.leftOut.length > 0)
    return { ...found, kind, decisions: [...document.notes, ...found.decisions] };
  const list = Array.isArray(root) ? root : longestNamed(file, values, choices);
  if (list !== null) {
    const read = textsOfGrid(
      gridOfObjects(file, list, (index) => (kind === "jsonl" ? `line ${index + 1}` : `row ${index + 1}`)),
      choices,
    );
    return { kind, ...read, decisions: [...document.notes, ...read.decisions] };
  }
  const declared = readDeclarations(root);
  if (declared !== null && !namesServers(root)) return { kind: "tools", ...declared };
  if (namesServers(root)) {
    throw new SluiceError("FORMAT_UNKNOWN", `${file}: names MCP servers, not their tools`, {
      hint: "Save what a server answers to tools/list as JSON, and use that file: sluice init tools.json",
    });
  }
  throw unknownFormat(file, `${said}: found texts at ${shapeOf(root).join(", ") || "no key"}`);
}

const namesServers = (root: unknown): boolean =>
  isJsonObject(root) &&
  (isJsonObject(root["mcpServers"]) ||
    isJsonObject(root["servers"]) ||
    /modelcontextprotocol.*server/.test(textAt(root, "$schema") ?? ""));

/** The longest list of records below a key that has a text and a label by name; null when there is none. */
function longestNamed(file: string, values: readonly unknown[], choices: MaterialChoices): readonly unknown[] | null {
  const lists = values.flatMap((value) => findStructures(file, value).lists);
  const named = lists.find(({ items }) => {
    const { header, columns } = openGrid(gridOfObjects(file, items.slice(0, 50), String), choices);
    return (
      !("open" in columns) &&
      meaningOf(header[columns.text] ?? "").text > 0 &&
      meaningOf(header[columns.label] ?? "").label > 0
    );
  });
  return named?.items ?? null;
}

interface ReadSource {
  readonly source: SourceFile;
  readonly document: Document;
}

interface FoundText extends GroupText {
  readonly file: string;
}

/** Groups of texts and rows with names, in all documents of a source together. */
function foundIn(read: readonly ReadSource[], choices: MaterialChoices): Omit<KindOfMaterial, "kind"> {
  const rules = rulesIn(read);
  const structures = read.flatMap(({ source, document }) =>
    document.form === "values"
      ? document.values.map((value) => ({ source, ...findStructures(source.file, value, rules) }))
      : [],
  );
  const several = read.length > 1;
  const definitions = new Map(read.flatMap(definitionsIn));
  const named = (source: SourceFile, texts: readonly GroupText[]): readonly FoundText[] =>
    texts
      .filter(({ label }) => several || label !== undefined)
      .map((text) => ({ ...text, ...fromPath(source.file, text, definitions, several), file: source.file }));
  const marked = read.flatMap(({ source, document }) =>
    document.form === "marked" ? [{ source, lines: document.lines }] : [],
  );
  const all = [
    ...structures.flatMap(({ source, texts }) => named(source, texts)),
    ...marked.flatMap(({ source, lines }) => named(source, lines.texts)),
  ];
  const { kept, decision } = inOneLanguage(all, choices.language);
  const grouped = collected(kept);
  const tables = structures.flatMap(({ source, tables: own }) => own.map((grid) => ({ source, grid })));
  const rows = tables.map(({ source, grid }) => {
    const part = grid.part ?? (several ? partOfPath(source.file) : null);
    const one = textsOfGrid({ file: source.file, rows: grid.rows }, choices);
    return {
      ...one,
      texts: one.texts.map((text) => ({ ...text, label: classLabel(text.label, read), part: text.part ?? part })),
    };
  });
  const workflows = [...structures.flatMap(({ workflows: own }) => own), ...definitionWorkflows(definitions, kept)];
  const [first] = rows;
  const columns = first?.columns ?? null;
  const described = several
    ? [...definitions.values()].filter(
        ({ name, value }) => isFallback(value) || all.some(({ label }) => label === name),
      )
    : [];
  const used = new Set([...all, ...tables.map(({ source }) => source), ...described].map(({ file }) => file));
  return {
    texts: [...grouped.texts, ...rows.flatMap(({ texts }) => texts)],
    leftOut: [...grouped.leftOut, ...rows.flatMap(({ leftOut }) => leftOut)],
    workflows: [...new Map(workflows.map((workflow) => [workflow.label, workflow])).values()],
    columns: grouped.texts.length === 0 && rows.length === 1 ? columns : null,
    used: read.filter(({ source }) => used.has(source.file)).map(({ source }) => source),
    decisions: [
      ...pathDecision(
        all,
        tables.map(({ grid }) => grid.path),
      ),
      ...decision,
      ...rows.slice(0, 1).flatMap(({ decisions }) => decisions),
      ...structureNotes(
        structures,
        marked.flatMap(({ lines }) => lines.others),
      ),
    ],
  };
}

/** Where the texts of groups are, by the paths without numbers. */
function pathDecision(texts: readonly FoundText[], tables: readonly string[]): readonly string[] {
  const paths = [
    ...new Set([
      ...texts.filter(({ at }) => !at.startsWith("line ")).map(({ at }) => at.replaceAll(/\[\d+\]/g, "[]")),
      ...tables.filter((path) => path !== ""),
    ]),
  ];
  return paths.length === 0 ? [] : [`Texts come from ${namedSome(paths)}.`];
}

function structureNotes(structures: readonly Structures[], others: readonly string[]): readonly string[] {
  const empty = [...new Set(structures.flatMap((found) => found.empty))];
  const sums = groupBy(
    structures.flatMap((found) => found.skipped),
    (path) => path,
  );
  const kinds = groupBy(others, (kind) => kind);
  const templates = structures.reduce((sum, found) => sum + found.templates, 0);
  return [
    ...(empty.length === 0 ? [] : [`Intents without texts were skipped: ${namedSome(empty)}.`]),
    ...(sums.size === 0 ? [] : [`Parts that hold no requests were skipped: ${namedSome([...sums.keys()])}.`]),
    ...(kinds.size === 0
      ? []
      : [
          `Sections other than intents were skipped: ${[...kinds].map(([kind, own]) => `${own.length} ${kind}`).join(", ")}.`,
        ]),
    ...(templates === 0 ? [] : [`${templates} templates gave one sentence each.`]),
  ];
}

/** Rules that templates refer to, of all documents. */
function rulesIn(read: readonly ReadSource[]): ReadonlyMap<string, string> {
  const values = read.flatMap(({ document }) => (document.form === "values" ? document.values : []));
  const rules = values.flatMap((value) =>
    isJsonObject(value) && isJsonObject(value["expansion_rules"]) ? Object.entries(value["expansion_rules"]) : [],
  );
  return new Map(rules.filter((rule): rule is [string, string] => typeof rule[1] === "string"));
}

/** Names that a data set gives to the numbers of its classes. */
function classLabel(label: string | null, read: readonly ReadSource[]): string | null {
  if (label === null || !/^\d+$/.test(label)) return label;
  for (const { document } of read) {
    const root = document.form === "values" ? document.values[0] : undefined;
    const features =
      isJsonObject(root) && Array.isArray(root["features"]) ? (root["features"] as readonly unknown[]) : [];
    for (const feature of features) {
      const type = isJsonObject(feature) ? feature["type"] : undefined;
      const all = isJsonObject(type) && Array.isArray(type["names"]) ? (type["names"] as readonly unknown[]) : [];
      const name = all[Number(label)];
      if (typeof name === "string") return name;
    }
  }
  return label;
}

/** Intents that a folder describes in files of their own, by the stems of these files. */
function definitionsIn({ source, document }: ReadSource): readonly (readonly [string, Definition])[] {
  const [value] = document.form === "values" ? document.values : [];
  const name = textAt(value, "displayName") ?? textAt(value, "name");
  return name === null ? [] : [[stemOf(source.file), { file: source.file, name, value }]];
}

interface Definition {
  readonly file: string;
  readonly name: string;
  readonly value: unknown;
}

type Definitions = ReadonlyMap<string, Definition>;

/** Workflows of described intents that have texts. */
function definitionWorkflows(definitions: Definitions, texts: readonly FoundText[]): readonly SourceWorkflow[] {
  const labels = new Set(texts.map(({ label }) => label));
  return [...definitions.values()].flatMap(({ name, value }) => {
    const inputs = inputsOf(value);
    return labels.has(name) && inputs.length > 0
      ? [{ label: name, description: textAt(value, "description"), inputs, effect: null }]
      : [];
  });
}

const segmentsOf = (file: string): readonly string[] => file.replace(/\.[^./]*$/, "").split("/");
const stemOf = (file: string): string => segmentsOf(file).at(-1) ?? file;

/** Endings of a stem that name no intent: `refund_usersays_en`, `refund.utterances`. */
const stemEnding = /(?:_usersays_[A-Za-z-]+|[._](?:utterances|intent|examples|samples))$/;

/** What the path of a file says about its texts: label, part and language. */
function fromPath(
  file: string,
  text: GroupText,
  definitions: Definitions,
  several: boolean,
): Pick<FoundText, "label" | "part" | "language"> {
  const segments = segmentsOf(file);
  const names_ = segments.map((segment) => segment.replace(stemEnding, ""));
  const stem = names_.findLast(
    (segment) => !isLanguage(segment) && !isNamed(segment, names.texts) && !isNamed(segment, ["intents", "intent"]),
  );
  const definition = definitions.get(stem ?? "");
  const own = definition === undefined ? (stem ?? file) : isFallback(definition.value) ? null : definition.name;
  const tag =
    /_usersays_([A-Za-z-]+)$/.exec(segments.at(-1) ?? "")?.[1] ??
    (isNamed(segments.at(-2) ?? "", names.texts) ? segments : segments.slice(0, -1)).findLast(isLanguage);
  return {
    label: text.label === undefined ? own : text.label,
    part: text.part ?? (several ? partOfPath(file) : null),
    language: text.language ?? tag ?? null,
  };
}

/** The published part that a folder or the first or last word of a file's name says. */
function partOfPath(file: string): SourcePart | null {
  const segments = segmentsOf(file).map((segment) => segment.toLowerCase());
  const words = (segments.at(-1) ?? "").split(/[^a-z]+/);
  const found = [...segments.slice(0, -1), words[0] ?? "", words.at(-1) ?? ""].find(
    (word) => partWords[word] !== undefined,
  );
  return found === undefined ? null : (partWords[found] ?? null);
}

/** Texts of one language where a source has several; others are counted. */
function inOneLanguage(
  texts: readonly FoundText[],
  wanted: string | undefined,
): { readonly kept: readonly FoundText[]; readonly decision: readonly string[] } {
  const tagged = groupBy(
    texts.filter(({ language }) => language !== null),
    ({ language }) => language ?? "",
  );
  const tags = [...tagged].toSorted(([, a], [, b]) => b.length - a.length).map(([tag]) => tag);
  const matches = (tag: string, language: string): boolean =>
    plainTag(tag) === plainTag(language) || plainTag(tag).startsWith(`${plainTag(language)}-`);
  if (tags.length === 0 || (wanted === undefined && tags.length === 1)) return { kept: texts, decision: [] };
  const language = wanted ?? (tags.some((tag) => matches(tag, "en")) ? "en" : (tags[0] ?? ""));
  const kept = texts.filter((text) => text.language === null || matches(text.language, language));
  const others = tags.filter((tag) => !matches(tag, language)).map((tag) => `${tag} (${tagged.get(tag)?.length ?? 0})`);
  const decision =
    others.length === 0 ? [] : [`Phrases in ${others.join(", ")} were skipped; --language selects another language.`];
  return { kept, decision };
}

const plainTag = (tag: string): string => tag.toLowerCase().replace("_", "-");

/** Splits found texts into usable ones and those that are left out with the reason. */
function collected(found: readonly FoundText[]): Pick<ReadMaterial, "texts" | "leftOut"> {
  const texts: SourceText[] = [];
  const leftOut: LeftOutRow[] = [];
  for (const { file, at, text, label, part } of found) {
    const read = usableText(text);
    if ("reason" in read) leftOut.push({ file, at, reason: read.reason });
    else if (label === undefined) leftOut.push({ file, at, reason: "no_label" });
    else texts.push({ file, at, text: read.text, label, part });
  }
  return { texts, leftOut };
}

/** Number of files that are named; of more, only their number is given. */
const namedFiles = 8;

/** All files of a folder: what holds groups or named rows, else its tables, else a text file for each label. */
async function readFolder(files: readonly SourceFile[], choices: MaterialChoices): Promise<KindOfMaterial> {
  const faults: SluiceError[] = [];
  const read: ReadSource[] = [];
  for (const source of files) {
    const document = await readDocument(source).catch((error: unknown): Document => {
      if (!(error instanceof SluiceError)) throw error;
      faults.push(error);
      return { form: "unreadable", why: error.message };
    });
    read.push({ source, document: linesOfLabel(source.file, document) });
  }
  const found = foundIn(read, choices);
  const tables = await tablesOf(read, choices, found.texts.length > 0);
  const alone = found.texts.length + tables.length === 0 ? filePerLabel(read) : null;
  const tools = alone === null && found.texts.length + tables.length === 0 ? toolsOf(read) : null;
  const used = [
    ...found.used,
    ...tables.map(({ used: source }) => source),
    ...(alone?.used ?? []),
    ...(tools?.used ?? []),
  ];
  if (used.length === 0) {
    const [fault] = faults;
    if (fault !== undefined) throw fault;
    throw unknownFormat(
      "the folder",
      `contains ${files.length} files; none holds rows or groups of texts under a name`,
    );
  }
  const unread = files.filter((file) => !used.includes(file)).map(({ file }) => file);
  const more = unread.length > namedFiles ? `, and ${unread.length - namedFiles} more` : "";
  const [table] = tables;
  return {
    kind: tables.length > 0 && found.texts.length === 0 ? (table?.kind ?? "folder") : (tools?.kind ?? "folder"),
    used,
    texts: [...found.texts, ...tables.flatMap(({ texts }) => texts), ...(alone?.texts ?? [])],
    leftOut: [...found.leftOut, ...tables.flatMap(({ leftOut }) => leftOut), ...(alone?.leftOut ?? [])],
    workflows: [...found.workflows, ...(tools?.workflows ?? [])],
    columns: found.columns ?? (tables.length === 1 ? (table?.columns ?? null) : null),
    decisions: [
      ...found.decisions,
      ...(table?.decisions ?? []),
      ...(tables.length > 1 ? [`Tables: ${tables.map(({ used: { file } }) => file).join(", ")}.`] : []),
      ...(alone?.decisions ?? []),
      ...(tools?.decisions ?? []),
      ...(unread.length === 0 ? [] : [`Skipped files: ${unread.slice(0, namedFiles).join(", ")}${more}.`]),
    ],
  };
}

/** A file whose name says that each of its lines is a text: `refund.intent`, or `x.utterances.txt`, whose first line is the name. */
function linesOfLabel(file: string, document: Document): Document {
  const isList = file.endsWith(".intent") || file.endsWith(".utterances.txt");
  if (!isList || document.form !== "lines") return document;
  const lines = document.text.split(/\r?\n/);
  const named = file.endsWith(".utterances.txt");
  const label = named ? (lines[0] ?? "").trim() : stemOf(file);
  const texts = lines.flatMap((line, index): readonly GroupText[] => {
    if (line.trim() === "" || line.startsWith("#") || (named && index === 0) || label === "") return [];
    const text = isTemplate(line) && !named ? fromTemplate(line, new Map(), index) : withoutMarks(line);
    return [{ at: `line ${index + 1}`, text, label, part: null, language: null }];
  });
  return { form: "marked", kind: "text", lines: { texts, others: [] } };
}

type FolderTable = ReadMaterial & { readonly kind: SourceKind; readonly used: SourceFile };

/** The tables of a folder whose columns are known by name; where there is nothing else, those known by content. */
async function tablesOf(
  read: readonly ReadSource[],
  choices: MaterialChoices,
  onlyNamed: boolean,
): Promise<readonly FolderTable[]> {
  const tables: FolderTable[] = [];
  const opened = read.flatMap(({ source, document }) =>
    document.form === "grid" ? [{ source, document, ...openGrid(document.grid, {}) }] : [],
  );
  const isNamedTable = ({ header, columns }: (typeof opened)[number]): boolean =>
    !("open" in columns) &&
    meaningOf(header[columns.text] ?? "").text > 0 &&
    meaningOf(header[columns.label] ?? "").label > 0;
  const byName = opened.filter(isNamedTable);
  for (const { source, document } of byName.length > 0 || onlyNamed ? byName : opened) {
    const part = partOfPath(source.file);
    const one = textsOfGrid(document.grid, choices);
    tables.push({
      ...one,
      kind: document.kind,
      used: source,
      decisions: [...document.notes, ...one.decisions],
      texts: one.texts.map((text) => ({ ...text, part: text.part ?? part })),
    });
  }
  for (const { source, document } of onlyNamed ? [] : read) {
    if (document.form === "workbook") tables.push({ ...(await readXlsx(source, choices)), kind: "xlsx", used: source });
  }
  return tables;
}

/** A text file for each label, a text on each line; or a folder for each label, a text in each file. */
function filePerLabel(read: readonly ReadSource[]): (ReadMaterial & { readonly used: readonly SourceFile[] }) | null {
  const files = read.flatMap(({ source, document }) =>
    document.form === "lines" && !/readme|licen[cs]e|notice/i.test(source.file)
      ? [{ source, text: document.text }]
      : [],
  );
  const folders = groupBy(files, ({ source }) => segmentsOf(source.file).slice(0, -1).join("/"));
  const byFolder = folders.size > 1 && [...folders.values()].some((own) => own.length > 1);
  if (files.length < 2) return null;
  const found = files.flatMap(({ source, text }): readonly FoundText[] => {
    const { file } = source;
    const label = byFolder ? (segmentsOf(file).at(-2) ?? "") : stemOf(file);
    const part = partOfPath(file);
    if (byFolder) return [{ file, at: "the file", text, label, part, language: null }];
    return text
      .split(/\r?\n/)
      .flatMap((line, index) =>
        line.trim() === "" ? [] : [{ file, at: `line ${index + 1}`, text: line, label, part, language: null }],
      );
  });
  return {
    ...collected(found),
    used: files.map(({ source }) => source),
    workflows: [],
    decisions: [
      byFolder
        ? "Each folder is a label, each of its files a text."
        : "Each file is a label, each of its lines a text.",
    ],
  };
}

/** The tool lists and API descriptions of a folder; null when it has none. */
function toolsOf(
  read: readonly ReadSource[],
): (ReadMaterial & { readonly kind: SourceKind; readonly used: readonly SourceFile[] }) | null {
  const found = read.flatMap(({ source, document }) => {
    const root = document.form === "values" ? document.values[0] : undefined;
    const tools = isOpenApi(root)
      ? readOpenApi(root)
      : readToolList(Array.isArray(root) || isJsonObject(root) ? root : undefined);
    return tools === null ? [] : [{ source, ...tools }];
  });
  if (found.length === 0) return null;
  return {
    kind: "tools",
    texts: [],
    leftOut: [],
    workflows: found.flatMap(({ workflows }) => workflows),
    used: found.map(({ source }) => source),
    decisions: [...new Set(found.flatMap(({ decisions }) => decisions))],
  };
}

function unknownFormat(what: string, found: string): SluiceError {
  return new SluiceError("FORMAT_UNKNOWN", `${what}: ${found}, expected labelled requests or tool definitions`, {
    hint:
      "Write one row for each request, with a text and a label: CSV, or JSON such as " +
      '{"text": "…", "intent": "…"}. Exports of Rasa, Dialogflow, LUIS, Watson, Lex, Alexa and others are read as they are.',
  });
}
