import { command, say, SluiceError } from "../../src/base/error.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { BadRows } from "../bad-rows.js";
import type { MaterialChoices } from "../sources/choices.js";
import type { KindOfMaterial } from "../sources/parsed-source.js";
import { leftOutReasons, type SourceKind, sourceKinds } from "../../src/documents/choices.js";
import { readKindOfMaterial } from "../sources/parse-source.js";
import { assembleDataset, type AssemblyOptions, type LabelledText } from "./assemble-dataset.js";
import type { ImportedDataset, SourceFile } from "./imported-dataset.js";

export interface SourceOptions extends AssemblyOptions {
  readonly choices: MaterialChoices;
}

const partOf = { train: "train", validation: "val", test: "test" } as const;

/**
 * Imports labelled requests from any source that `readKindOfMaterial` recognises, with a catalog made from the labels.
 * Repeated texts are not removed, because the audit reports them. A row that cannot be used is a bad row.
 * @throws {SluiceError} FORMAT_UNKNOWN  no labelled requests were recognised
 * @throws {SluiceError} DOCUMENT_INVALID  with file and place
 */
export async function importSource(files: readonly SourceFile[], options: SourceOptions): Promise<ImportedDataset> {
  const read = await readKindOfMaterial(files, { ...options.choices, conversationColumn: null });
  const bad = new BadRows(options.maxBadRows);
  for (const { file, at, reason } of read.leftOut) {
    bad.add({ file, at, column: "", rule: leftOutReasons[reason] });
  }
  const badRows = bad.settle();
  if (read.texts.length === 0) throw noTexts(read.kind);
  const sources = read.used.map(({ file, bytes }) => ({ file, sha256: sha256Hex(bytes), licence: null }));
  return { ...assembleDataset(read.kind, labelledTexts(read), options), sources, badRows };
}

function noTexts(kind: SourceKind): SluiceError {
  return new SluiceError("DOCUMENT_INVALID", `${sourceKinds[kind]}: no intent has texts in this language`, {
    hint: say`Choose the language of an agent: ${command`sluice dataset import PATH --language LANGUAGE`}`,
  });
}

function labelledTexts({ texts, used }: KindOfMaterial): readonly LabelledText[] {
  return texts.map(({ file, at, text, label, part }) => {
    const place = at.replaceAll(" ", "-");
    return {
      id: (used.length === 1 ? place : `${file}:${place}`).slice(-160),
      text,
      intent: label,
      part: part === null ? "train" : partOf[part],
      ...(label === null ? {} : { fields: { slices: { intent: label } } }),
    };
  });
}
