import { sha256Hex } from "../../src/base/sha256.js";
import { SluiceError } from "../../src/base/error.js";
import { BadRows } from "../../datasets/bad-rows.js";
import { kindOf } from "../../datasets/describe.js";
import { readTable } from "../../datasets/sources/tables/read-table.js";
import { benchmarkStyle } from "./benchmark-catalog.js";
import { assembleDataset, type AssemblyOptions, type LabelledText } from "../../datasets/importers/assemble-dataset.js";
import type { ImportedDataset, SourceFile } from "../../datasets/importers/imported-dataset.js";
import { isUsableText, unusableText } from "./usable-text.js";

const header = ["text", "category"] as const;

/**
 * Imports BANKING77 as published: two CSV files with the columns `text` and `category`. It has no out-of-scope rows.
 *
 * @returns  rows of train, then test; ids `banking77-<part>-<position>`
 * @throws {SluiceError} DOCUMENT_INVALID  with line and column
 * @see Casanueva et al. (2020), Efficient Intent Detection with Dual Sentence Encoders
 */
export async function importBanking77(
  files: { readonly train: SourceFile; readonly test: SourceFile },
  options: AssemblyOptions = {},
): Promise<ImportedDataset> {
  const bad = new BadRows(options.maxBadRows);
  const train = await readPart(files.train, "train", bad);
  const test = await readPart(files.test, "test", bad);
  const badRows = bad.settle(sourceHint);
  for (const [{ file }, part] of [
    [files.train, train],
    [files.test, test],
  ] as const) {
    if (part.length === 0) throw new SluiceError("DOCUMENT_INVALID", `${file}: no rows after the header`);
  }
  const licence = "CC BY 4.0";
  return {
    ...assembleDataset("banking77", [...train, ...test], options, benchmarkStyle),
    sources: [files.train, files.test].map(({ file, bytes }) => ({ file, sha256: sha256Hex(bytes), licence })),
    badRows,
  };
}

const sourceHint = "Give the files train.csv and test.csv of banking_data in PolyAI-LDN/task-specific-datasets.";

async function readPart(source: SourceFile, part: "train" | "test", bad: BadRows): Promise<readonly LabelledText[]> {
  const { file } = source;
  const { columns, rows } = await readTable(source, bad);
  if (columns.join() !== header.join()) {
    throw new SluiceError("DOCUMENT_INVALID", `${file}: expected the columns text,category`, {
      hint: sourceHint,
    });
  }
  return rows.flatMap(({ at, cells }, index): readonly LabelledText[] => {
    const refuse = (column: string, rule: string): readonly [] => {
      bad.add({ file, at, column, rule });
      return [];
    };
    const [text, category] = [cells.get("text"), cells.get("category")];
    if (!isUsableText(text)) return refuse("text", unusableText(text));
    if (typeof category !== "string" || category === "") {
      return refuse("category", `found ${kindOf(category)}, expected an intent`);
    }
    return [{ id: `banking77-${part}-${index}`, text, intent: category, part }];
  });
}
