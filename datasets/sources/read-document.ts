import { gunzipSync } from "node:zlib";
import { Composer, type Document as YamlDocument, isScalar, LineCounter, Parser, visit } from "yaml";
import { SluiceError } from "../../src/base/error.js";
import type { SourceFile } from "../importers/imported-dataset.js";
import { isParquet, readParquet } from "./tables/read-parquet.js";
import { decodeText, isBinary } from "./files/decode-text.js";
import type { MaterialChoices } from "./choices.js";
import { unreadArchive, unreadBytes, unreadText } from "./files/name-format.js";
import { isZip, unpackedLimit, unpacksToMore, unzip } from "./files/unzip.js";
import { type MarkedLines, readMarkedLines } from "./marked-lines.js";
import type { SourceKind } from "../../src/documents/choices.js";
import { isJsonObject, parseJsonText, requireDepth } from "./parse-json.js";
import { type Grid, gridOfText } from "./tables/grid.js";
import { readXlsx } from "./tables/read-xlsx.js";
import { csvRecords } from "./tables/csv-records.js";
import { groupBy } from "../../src/base/group-by.js";

/** Syntactic content of one file, before it is interpreted. */
export type Document =
  | {
      readonly form: "grid";
      readonly kind: SourceKind;
      readonly grid: Grid;
      readonly notes: readonly string[];
      /** What the file says about its columns, such as the names of classes. */
      readonly about?: unknown;
    }
  | {
      readonly form: "values";
      readonly kind: SourceKind;
      readonly values: readonly unknown[];
      readonly notes: readonly string[];
    }
  | { readonly form: "marked"; readonly lines: MarkedLines; readonly about?: unknown }
  | { readonly form: "lines"; readonly text: string; readonly about?: unknown }
  | { readonly form: "folder"; readonly files: readonly SourceFile[] }
  | { readonly form: "unreadable"; readonly why: string; readonly hint?: string };

/**
 * Reads one file by its bytes. Its name is only used to distinguish YAML and marked text from tables.
 * @throws {SluiceError} DOCUMENT_INVALID  with the line
 */
export async function readDocument(source: SourceFile, choices: MaterialChoices): Promise<Document> {
  const { file, bytes } = source;
  if (bytes.length === 0) return { form: "unreadable", why: "the file is empty" };
  if (isGzip(bytes)) return readDocument({ file: file.replace(/\.gz$/i, ""), bytes: gunzipped(source) }, choices);
  const unread = unreadBytes(bytes);
  if (unread !== null) return { form: "unreadable", why: `found ${unread.found}`, hint: unread.hint };
  if (isZip(bytes)) return readArchive(source, choices);
  if (isParquet(bytes)) return { form: "grid", kind: "parquet", notes: [], ...(await readParquet(source)) };
  if (choices.encoding === undefined && isBinary(bytes)) return { form: "unreadable", why: "the file is binary" };
  const { text, encoding } = decodeText(bytes, choices.encoding);
  const format = unreadText(text);
  if (format !== null) return { form: "unreadable", why: `found ${format.found}`, hint: format.hint };
  return readJson(file, text, encodingNote(encoding)) ?? readCharacters(file, text, encodingNote(encoding));
}

function readArchive(source: SourceFile, choices: MaterialChoices): Document {
  const files = unzip(source);
  const other = unreadArchive(new Set(files.map((one) => one.file)));
  if (other !== null) return { form: "unreadable", why: `found ${other.found}`, hint: other.hint };
  if (!files.some(({ file: name }) => name === "xl/workbook.xml")) return { form: "folder", files };
  return { form: "grid", kind: "xlsx", ...readXlsx(source, choices) };
}

/** Reads JSON, or one JSON object per line; null for other text. */
function readJson(file: string, text: string, notes: readonly string[]): Document | null {
  if (!/^\s*[{[]/.test(text) || /\.(?:md|lu|chatito|ini)$/i.test(file)) return null;
  const lines = jsonLines(file, text);
  if (lines !== null) return { form: "values", kind: "jsonl", values: [lines], notes };
  if (/^\[[\w .-]+\]\s*$/m.exec(text)?.index === 0) return null;
  return { form: "values", kind: "json", values: [parseJsonText(file, text)], notes };
}

function readCharacters(file: string, text: string, notes: readonly string[]): Document {
  if (/\.ya?ml$/i.test(file)) return { form: "values", kind: "yaml", values: yamlValues(file, text), notes };
  if (/\.md$/i.test(file)) return readMarkdown(file, text);
  const marked = readMarkedLines(file, text);
  if (marked !== null) return { form: "marked", lines: marked };
  const body = text.replace(/^\s*sep=.\r?\n/i, "");
  const { delimiter, cells } = detectDialect(body);
  if (cells > 1) {
    const kind = delimiter === "\t" ? "tsv" : "csv";
    const said = [...notes, `Cells are separated by ${delimiterNames[delimiter]}.`];
    return { form: "grid", kind, grid: gridOfText(file, body, delimiter), notes: said };
  }
  const values = /^(?:---|[\w-]+\s*:(?:\s|$)|- )/m.test(text.slice(0, 2000)) ? yamlOrNothing(file, text) : [];
  return values.length > 0 ? { form: "values", kind: "yaml", values, notes } : { form: "lines", text };
}

/** Markdown with the YAML block at its beginning, in which a dataset describes its columns. */
function readMarkdown(file: string, text: string): Document {
  const [, block] = /^---\r?\n([^]*?)\r?\n---\r?\n/.exec(text) ?? [];
  const body = block === undefined ? text : text.slice(text.indexOf("\n---", 3) + 4);
  const about = block === undefined ? [] : yamlOrNothing(file, block);
  const lines = readMarkedLines(file, body);
  return lines === null ? { form: "lines", text: body, about } : { form: "marked", lines, about };
}

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

function gunzipped({ file, bytes }: SourceFile): Uint8Array {
  const most = unpackedLimit(bytes.length);
  try {
    return gunzipSync(bytes, { maxOutputLength: most });
  } catch (cause) {
    if (cause instanceof RangeError) throw unpacksToMore(file, most);
    throw new SluiceError("DOCUMENT_INVALID", `${file}: the gzip data is damaged`, {
      hint: "Download or compress the file again.",
      cause,
    });
  }
}

const delimiterNames = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" } as const;

/** The objects of a text with one per line; null for other text. */
function jsonLines(file: string, text: string): readonly unknown[] | null {
  const lines = text
    .split(/\r?\n/)
    .flatMap((line, index) => (line.trim() === "" ? [] : [{ line, at: `line ${index + 1}` }]));
  const isObject = ({ line }: { readonly line: string }): boolean =>
    line.trimStart().startsWith("{") && line.trimEnd().endsWith("}");
  const fewest = /\.(?:jsonl|ndjson)$/i.test(file) ? 1 : 2;
  if (lines.length < fewest || !lines.every(isObject)) return null;
  return lines.map(({ line, at }) => parseJsonText(`${file}: ${at}`, line));
}

/**
 * The documents of a YAML file. Duplicate keys are checked here, because the parser compares keys pairwise, which is
 * slow. @throws {SluiceError} DOCUMENT_INVALID  with the line
 */
function yamlValues(file: string, text: string): readonly unknown[] {
  const lines = new LineCounter();
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  // The composer recurses for each level, and a full stack ends the process.
  requireDepth(file, tokens, 3);
  const documents = [...new Composer({ uniqueKeys: false, logLevel: "silent" }).compose(tokens)];
  return documents.map((document) => {
    const [error] = document.errors;
    const twice = error === undefined ? repeatedKey(document) : null;
    if (twice !== null) {
      throw new SluiceError("DOCUMENT_INVALID", `${file}: the key ${twice} occurs twice in its map`, {
        hint: "Merge the two entries.",
      });
    }
    if (error === undefined) {
      const value = valueOf(document, file);
      requireDepth(file, value);
      return value;
    }
    const { line } = lines.linePos(error.pos[0]);
    throw new SluiceError("DOCUMENT_INVALID", `${file}: line ${line}: not well-formed YAML (${error.code})`, {
      hint: "Correct this line and run the command again.",
    });
  });
}

/** Maximum length of a displayed key, in characters. */
const longestKey = 80;

/**
 * The first duplicate key of a map in a document, one of whose values would be lost silently; null if there is none.
 */
function repeatedKey(document: YamlDocument): string | null {
  let found: string | null = null;
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name) && name !== "<<") found = String(name).slice(0, longestKey);
        seen.add(name);
      }
      return found === null ? undefined : visit.BREAK;
    },
  });
  return found;
}

function valueOf(document: { readonly toJS: () => unknown }, file: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    throw new SluiceError("DOCUMENT_INVALID", `${file}: its aliases cannot be resolved`, {
      hint: "Write the values out.",
      cause,
    });
  }
}

/** The YAML documents that are maps or lists; empty for other text. */
function yamlOrNothing(file: string, text: string): readonly unknown[] {
  try {
    return yamlValues(file, text).filter(
      (value) => isJsonObject(value) || (Array.isArray(value) && value.some(isJsonObject)),
    );
  } catch (error) {
    if (error instanceof SluiceError) return [];
    throw error;
  }
}

const encodingNote = (encoding: string): readonly string[] => {
  if (encoding === "UTF-8") return [];
  const mixed = encoding === "UTF-8 and Windows-1252" ? "; each line was read in its own encoding" : "";
  const guessed = encoding === "Windows-1252" ? ["If another encoding is right, name it: --encoding NAME."] : [];
  return [`The file is in ${encoding}${mixed}.`, ...guessed];
};

interface Dialect {
  readonly delimiter: "," | ";" | "\t" | "|";
  /** Most common number of cells in the first records; 1 if no delimiter splits them. */
  readonly cells: number;
}

const delimiters = [",", ";", "\t", "|"] as const;

const examinedRecords = 50;
const examinedCharacters = 200_000;

/**
 * Detects the delimiter that most often splits the first records into the same number of cells (at least two); on ties,
 * the one that gives more cells. If there is none, the text has one column and the comma is returned.
 */
function detectDialect(text: string): Dialect {
  const head = wholeLines(text.slice(0, examinedCharacters), text.length > examinedCharacters);
  const scored = delimiters.map((delimiter) => ({ delimiter, ...regularity(head, delimiter) }));
  const [best] = scored.toSorted((a, b) => b.share - a.share || b.cells - a.cells);
  return best === undefined || best.cells < 2 ? { delimiter: ",", cells: 1 } : best;
}

/** Drops the last line if the sample may end within a quoted text. */
const wholeLines = (text: string, cut: boolean): string => (cut ? text.slice(0, text.lastIndexOf("\n") + 1) : text);

interface Regularity {
  /** Most common number of cells in the examined records. A title above the table has fewer. */
  readonly cells: number;
  /** Share of the examined records with this number of cells; 0 if the number is 1. */
  readonly share: number;
}

function regularity(text: string, delimiter: string): Regularity {
  const counts = cellCounts(text, delimiter);
  const [commonest] = [...groupBy(counts, String)].toSorted(([, a], [, b]) => b.length - a.length);
  const cells = Number(commonest?.[0] ?? 0);
  return { cells, share: cells < 2 ? 0 : (commonest?.[1].length ?? 0) / counts.length };
}

function cellCounts(text: string, delimiter: string): readonly number[] {
  try {
    return csvRecords("", text, { delimiter, relaxed: true, most: examinedRecords }).map(({ cells }) => cells.length);
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    // A quote is not closed; the reader of the whole file names its line.
    return text.split("\n", examinedRecords).map((line) => line.split(delimiter).length);
  }
}
