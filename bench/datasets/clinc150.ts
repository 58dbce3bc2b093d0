import { sha256Hex } from "../../src/base/sha256.js";
import { SluiceError } from "../../src/base/error.js";
import { BadRows } from "../../datasets/bad-rows.js";
import { decodeUtf8 } from "../../datasets/read-jsonl.js";
import { kindOf } from "../../datasets/describe.js";
import { isJsonObject, type JsonObject, parseJsonText } from "../../datasets/sources/parse-json.js";
import { assembleDataset, type AssemblyOptions, type LabelledText } from "../../datasets/importers/assemble-dataset.js";
import type { ImportedDataset, SourceFile } from "../../datasets/importers/imported-dataset.js";
import { benchmarkStyle } from "./benchmark-catalog.js";
import { isUsableText, unusableText } from "./usable-text.js";

const partNames = [
  ["train", "train"],
  ["val", "val"],
  ["test", "test"],
  ["oos_train", "train"],
  ["oos_val", "val"],
  ["oos_test", "test"],
] as const;

/** Label of the out-of-scope texts in the published file. */
const outOfScopeLabel = "oos";

export interface Clinc150Options extends AssemblyOptions {
  /**
   * The published `domains.json`, which lists the intents of each domain (as labels or in words). It determines the
   * slice `domain`.
   */
  readonly domains?: SourceFile;
}

/**
 * Imports CLINC150 as published (`data_full.json`): six lists of `[text, intent]`.
 *
 * @returns  rows in the order train, val, test, oos_train, oos_val, oos_test; ids `clinc150-<list>-<position>`
 * @throws {SluiceError} DOCUMENT_INVALID  with list, position and column
 * @see Larson et al. (2019), An Evaluation Dataset for Intent Classification and Out-of-Scope Prediction
 */
export function importClinc150(source: SourceFile, options: Clinc150Options = {}): ImportedDataset {
  const { file, bytes } = source;
  const { domains } = options;
  const lists = parseObject(bytes, file);
  const domainOf = domains === undefined ? new Map<string, string>() : readDomains(domains);
  const bad = new BadRows(options.maxBadRows);
  const texts = partNames.flatMap(([list, part]) => readList({ value: lists[list], list, part, file }, bad));
  const badRows = bad.settle(sourceHint);
  if (texts.length === 0) throw new SluiceError("DOCUMENT_INVALID", `${file}: all lists are empty`);
  return {
    ...assembleDataset(
      "clinc150",
      texts.map((text) => withDomain(text, domainOf)),
      options,
      benchmarkStyle,
    ),
    sources: [source, ...(domains === undefined ? [] : [domains])].map((read) => ({
      file: read.file,
      sha256: sha256Hex(read.bytes),
      licence: "CC BY 3.0",
    })),
    badRows,
  };
}

const sourceHint = "Give the file data_full.json of the repository clinc/oos-eval.";

function parseObject(bytes: Uint8Array, file: string): JsonObject {
  const value = parseJsonText(file, decodeUtf8(bytes, file));
  if (isJsonObject(value)) return value;
  throw new SluiceError("DOCUMENT_INVALID", `${file}: expected an object of lists`, { hint: sourceHint });
}

function withDomain(text: LabelledText, domainOf: ReadonlyMap<string, string>): LabelledText {
  const domain = text.intent === null ? undefined : domainOf.get(text.intent);
  return domain === undefined ? text : { ...text, fields: { slices: { domain } } };
}

/** Domain of each intent. Names in words are converted to labels with underscores. */
function readDomains({ file, bytes }: SourceFile): ReadonlyMap<string, string> {
  const plain = (name: string): string => name.trim().toLowerCase().replaceAll(" ", "_");
  const entries = Object.entries(parseObject(bytes, file)).flatMap(([domain, intents]) => {
    if (Array.isArray(intents) && intents.every((intent) => typeof intent === "string")) {
      return intents.map((intent) => [plain(intent), plain(domain)] as const);
    }
    const message = `${file}: ${domain}: found ${kindOf(intents)}, expected a list of intents`;
    throw new SluiceError("DOCUMENT_INVALID", message, { hint: sourceHint });
  });
  return new Map(entries);
}

interface ListInput {
  readonly value: unknown;
  readonly list: string;
  readonly part: LabelledText["part"];
  readonly file: string;
}

function readList({ value, list, part, file }: ListInput, bad: BadRows): readonly LabelledText[] {
  if (!Array.isArray(value)) {
    const message = `${file}: ${list}: found ${kindOf(value)}, expected a list`;
    throw new SluiceError("DOCUMENT_INVALID", message, { hint: sourceHint });
  }
  return value.flatMap((item: unknown, row): readonly LabelledText[] => {
    const refuse = (column: string, rule: string): readonly [] => {
      bad.add({ file, at: `${list} row ${row}`, column, rule });
      return [];
    };
    if (!Array.isArray(item) || item.length !== 2) return refuse("", `found ${kindOf(item)}, expected [text, intent]`);
    const [text, label]: readonly unknown[] = item;
    if (!isUsableText(text)) return refuse("0", unusableText(text));
    if (typeof label !== "string" || label === "") return refuse("1", `found ${kindOf(label)}, expected an intent`);
    return [{ id: `clinc150-${list}-${row}`, text, intent: label === outOfScopeLabel ? null : label, part }];
  });
}
