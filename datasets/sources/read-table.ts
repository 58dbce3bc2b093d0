import type { SourceFile } from "../importers/imported-dataset.js";
import { readParquet } from "../tables/read-parquet.js";
import type { MaterialChoices } from "./choices.js";
import { decodeText, type TextEncoding } from "./files/decode-text.js";
import { isZip } from "./files/unzip.js";
import { isPromptfoo, readPromptfoo } from "./intents/promptfoo.js";
import type { KindOfMaterial, ReadMaterial, SourceKind } from "./material.js";
import { parseJsonText } from "./parse-json.js";
import { readStructured } from "./read-structured.js";
import { detectDialect } from "./tables/dialect.js";
import type { Grid } from "./tables/grid.js";
import { gridOfObjects, gridOfText } from "./tables/read-grid.js";
import { readXlsx } from "./tables/read-xlsx.js";
import { textsOfGrid } from "./tables/texts-of-grid.js";

/** A single file that is a table or a JSON document; null when it is neither. */
export async function readTable(source: SourceFile, choices: MaterialChoices): Promise<KindOfMaterial | null> {
  const { file, bytes } = source;
  if (isZip(bytes)) return readWorkbook(source, choices);
  if (isParquet(bytes)) {
    const { columns, rows } = await readParquet(source);
    const grid = {
      file,
      rows: [headerRow(columns), ...rows.map(({ at, cells }) => ({ at, cells: cellsOf(cells, columns) }))],
    };
    return { kind: "parquet", used: [source], ...textsOfGrid(grid, choices) };
  }
  const { text, encoding } = decodeText(bytes);
  const read = readCharacters(file, text, choices);
  return read === null ? null : { used: [source], ...read, decisions: [...encodingNote(encoding), ...read.decisions] };
}

type ReadKind = ReadMaterial & { readonly kind: SourceKind };

function readCharacters(file: string, text: string, choices: MaterialChoices): ReadKind | null {
  const start = text.trimStart().slice(0, 1);
  if (start === "[") return readStructured(file, parseJsonText(file, text), choices);
  if (start === "{") return readObjects(file, text, choices);
  const { delimiter, cells } = detectDialect(text);
  if (cells < 2) return null;
  const grid = gridOfText(file, text, delimiter);
  if (isPromptfoo(grid)) return { kind: "promptfoo", ...readPromptfoo(grid) };
  const read = textsOfGrid(grid, choices);
  const kind = delimiter === "\t" ? "tsv" : "csv";
  return { kind, ...read, decisions: [`Cells are separated by ${delimiterNames[delimiter]}.`, ...read.decisions] };
}

const delimiterNames = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" } as const;

/** One JSON object, or a JSON object on each line. */
function readObjects(file: string, text: string, choices: MaterialChoices): ReadKind | null {
  const lines = text.split(/\r?\n/);
  const filled = lines.flatMap((line, index) => (line.trim() === "" ? [] : [{ line, at: `line ${index + 1}` }]));
  if (
    filled.length > 1 &&
    filled.every(({ line }) => line.trimStart().startsWith("{") && line.trimEnd().endsWith("}"))
  ) {
    const objects = filled.map(({ line, at }) => parseJsonText(`${file}: ${at}`, line));
    const grid = gridOfObjects(file, objects, (index) => filled[index]?.at ?? `row ${index + 1}`);
    return { kind: "jsonl", ...textsOfGrid(grid, choices) };
  }
  return readStructured(file, parseJsonText(file, text), choices);
}

async function readWorkbook(source: SourceFile, choices: MaterialChoices): Promise<KindOfMaterial> {
  const { grid, sheet, others } = await readXlsx(source, choices.sheet);
  const read = textsOfGrid(grid, choices);
  const passedOver = others.length === 0 ? [] : [`Skipped sheets: ${others.join(", ")}.`];
  return {
    kind: "xlsx",
    used: [source],
    ...read,
    decisions: [`The sheet "${sheet}" was read.`, ...passedOver, ...read.decisions],
  };
}

/** Whether bytes are those of a Parquet file. */
export const isParquet = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "PAR1";

const headerRow = (columns: readonly string[]): Grid["rows"][number] => ({ at: "the schema", cells: columns });

const cellsOf = (cells: ReadonlyMap<string, unknown>, columns: readonly string[]): readonly unknown[] =>
  columns.map((column) => cells.get(column));

const encodingNote = (encoding: TextEncoding): readonly string[] => {
  if (encoding === "UTF-8") return [];
  const mixed = encoding === "UTF-8 and Windows-1252" ? "; each line was read in its own encoding" : "";
  return [`The file is in ${encoding}${mixed}.`];
};
