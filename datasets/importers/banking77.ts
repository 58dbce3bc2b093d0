import { CsvError, type Info, parse } from "csv-parse/sync";
import { sha256Hex } from "../../src/digest/sha256.js";
import { SluiceError } from "../../src/errors/error.js";
import { decodeUtf8 } from "../read-jsonl.js";
import { assembleBenchmark, type BenchmarkOptions, type BenchmarkText } from "./benchmark.js";
import type { ImportedDataset, SourceFile } from "./imported-dataset.js";
import { isUsableText } from "./usable-text.js";

const header = ["text", "category"] as const;

/**
 * BANKING77 as published: two CSV files with the columns `text` and `category`. It has no out-of-scope rows.
 *
 * @returns rows of train, then test; ids `banking77-<part>-<position>`
 * @throws {SluiceError} SYNTAX_INVALID, SCHEMA_INVALID with line and column; DATASET_EMPTY
 * @see Casanueva et al. (2020), Efficient Intent Detection with Dual Sentence Encoders
 */
export function importBanking77(
  files: { readonly train: SourceFile; readonly test: SourceFile },
  options: BenchmarkOptions = {},
): ImportedDataset {
  const texts = [...readPart(files.train, "train"), ...readPart(files.test, "test")];
  const licence = "CC BY 4.0";
  return {
    ...assembleBenchmark("banking77", texts, options),
    sources: [files.train, files.test].map(({ file, bytes }) => ({ file, sha256: sha256Hex(bytes), licence })),
  };
}

const sourceHint = "Give the files train.csv and test.csv of banking_data in PolyAI-LDN/task-specific-datasets.";

function readPart({ file, bytes }: SourceFile, part: "train" | "test"): readonly BenchmarkText[] {
  const [first, ...records] = parseRecords(decodeUtf8(bytes, file), file);
  if (first === undefined || first.cells.join() !== header.join()) {
    throw new SluiceError("SCHEMA_INVALID", `${file}: line 1: expected the columns text,category`, {
      hint: sourceHint,
    });
  }
  if (records.length === 0) throw new SluiceError("DATASET_EMPTY", `${file}: no rows after the header`);
  return records.map(({ line, cells: [text, category] }, index): BenchmarkText => {
    const refuse = (column: string, expected: string): SluiceError =>
      new SluiceError("SCHEMA_INVALID", `${file}: line ${line} column ${column}: expected ${expected}`, {
        hint: sourceHint,
      });
    if (!isUsableText(text)) throw refuse("text", "a text of 1 to 8,000 characters");
    if (category === undefined || category === "") throw refuse("category", "an intent");
    return { id: `banking77-${part}-${index}`, text, intent: category, part };
  });
}

interface CsvRecord {
  /** 1-based line on which the record ends; a quoted text may span several. */
  readonly line: number;
  readonly cells: readonly string[];
}

function parseRecords(content: string, file: string): readonly CsvRecord[] {
  try {
    const parsed = parse(content, { info: true, bom: true, skip_empty_lines: true }) as unknown as readonly {
      readonly info: Info;
      readonly record: readonly string[];
    }[];
    return parsed.map(({ info, record }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The parser's error carries the record, which is a request text; only its position is passed on.
    const where = typeof error["lines"] === "number" ? `line ${error["lines"]}` : "the end of the file";
    const column = typeof error["column"] === "number" ? ` column ${error["column"] + 1}` : "";
    throw new SluiceError("SYNTAX_INVALID", `${file}: ${where}${column}: not well-formed CSV (${error.code})`, {
      hint: sourceHint,
    });
  }
}
