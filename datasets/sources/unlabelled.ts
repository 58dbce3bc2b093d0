import type { SourceFile } from "../importers/imported-dataset.js";
import type { MaterialChoices } from "./choices.js";
import type { LeftOutRow, SourceText } from "./parsed-source.js";
import { isJsonObject } from "./parse-json.js";
import { readDocument } from "./read-document.js";
import { decodeText } from "./files/decode-text.js";
import { usableText } from "./plain-text.js";
import { type Grid, gridOfObjects } from "./tables/grid.js";
import { csvRecords } from "./tables/csv-records.js";
import { openGrid, textsOfGrid } from "./tables/texts-of-grid.js";
import { findStructures } from "./find-structures.js";
import { SluiceError } from "../../src/base/error.js";

/** Texts without labels. A text that occurs often is listed as often, because the rows are traffic. */
export interface UnlabelledMaterial {
  readonly texts: readonly Pick<SourceText, "at" | "text">[];
  readonly leftOut: readonly LeftOutRow[];
  /** One sentence for each decision of the reader. */
  readonly decisions: readonly string[];
}

/** Name of the column that stands for the missing labels. */
const column = "(unlabelled)";

/**
 * Reads a file of unlabelled requests: a table with a header row, JSON, JSON Lines, or text with one request per line. The column
 * of texts is found as in a labelled source.
 * @throws {SluiceError} FORMAT_UNKNOWN  no texts were recognised; DOCUMENT_INVALID  a person has to choose the column
 */
export async function readUnlabelled(source: SourceFile, choices: MaterialChoices): Promise<UnlabelledMaterial> {
  const { file } = source;
  if (/\.(?:txt|text|log)$/i.test(file)) return linesOf(source, choices);
  const document = await readDocument(source, choices);
  if (document.form === "lines") return linesOf(source, choices);
  if (document.form === "grid") return textsIn(labelled(document.grid), choices);
  const items = document.form === "values" ? listIn(file, document.values[0]) : [];
  if (items.length > 0) {
    const objects = items.map((item) => ({ ...(isJsonObject(item) ? item : { text: item }), [column]: column }));
    return textsIn(
      gridOfObjects(file, objects, (index) => `row ${index + 1}`),
      choices,
    );
  }
  throw new SluiceError("FORMAT_UNKNOWN", `${file}: found no list of requests, expected unlabelled texts`, {
    hint: 'Use a table with a column of texts, one text per line, or JSON Lines such as {"text": "..."}.',
  });
}

function listIn(file: string, root: unknown): readonly unknown[] {
  if (Array.isArray(root)) return root;
  return findStructures(file, root).lists[0]?.items ?? [];
}

function linesOf({ file, bytes }: SourceFile, { encoding, clean }: MaterialChoices): UnlabelledMaterial {
  const texts: { at: string; text: string }[] = [];
  const leftOut: LeftOutRow[] = [];
  const { text: body } = decodeText(bytes, encoding);
  const isTable = /\.[ct]sv$/i.test(file);
  const lines = isTable ? cellsOf(file, body) : body.split(/\r?\n/).map((text, index) => ({ line: index + 1, text }));
  const [first] = lines;
  const header = isTable && first !== undefined && columnName.test(first.text) ? first : null;
  for (const { line, text } of header === null ? lines : lines.slice(1)) {
    const at = `line ${line}`;
    const found = usableText(text, clean);
    if ("text" in found) texts.push({ at, text: found.text });
    else if (text.trim() !== "") leftOut.push({ file, at, reason: found.reason });
  }
  const named = header === null ? [] : ["The first line is the name of the column."];
  return { texts, leftOut, decisions: ["Each line is a request.", ...named] };
}

/** At most two words, as people name a column. */
const columnName = /^[\p{L}\d]+(?:[ _-][\p{L}\d]+)?$/u;
/** A control character that no text has, so that each record is one cell. */
const noDelimiter = "\u001f";

/** The records of a table with one column, without their quotes. */
const cellsOf = (file: string, text: string) =>
  csvRecords(file, text, { delimiter: noDelimiter, relaxed: true }).map(({ line, cells }) => ({
    line,
    text: cells[0] ?? "",
  }));

/** The table with a column of equal labels, so that the readers of labelled tables find the texts. */
const labelled = (grid: Grid): Grid => ({
  ...grid,
  rows: grid.rows.map((row) => ({ ...row, cells: [...row.cells, column] })),
});

function textsIn(grid: Grid, choices: MaterialChoices): UnlabelledMaterial {
  const opened = openGrid(grid, { ...choices, labelColumn: column, conversationColumn: null });
  const { texts, leftOut, decisions } = textsOfGrid(opened, choices);
  return { texts, leftOut, decisions: decisions.map((said) => said.replace(/[,;] labels from "[^"]*"/, "")) };
}
