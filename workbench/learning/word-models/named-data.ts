import { basename } from "node:path";
import { readSynsets, wordnetLicence } from "../../../datasets/importers/open-english-wordnet.js";
import { sha256Hex } from "../../../src/digest/sha256.js";
import type { Catalog } from "../../../src/domain/catalog.js";
import { SluiceError } from "../../../src/errors/error.js";
import type { DatasetFormat } from "../../choices.js";
import { readSource } from "../../data/read-source.js";
import type { History } from "../../history/open.js";
import { readInput } from "../../read-input.js";
import type { Reference } from "../../records/reference.js";
import { catalogOf } from "../../records/with-history.js";
import { type FitSource, importedSource, splitSource } from "./fit-sources.js";
import type { OpenDataArguments } from "./open-data.js";

/** Labelled requests to learn from. */
export interface NamedData {
  readonly data: readonly { readonly kind: DatasetFormat; readonly path: string }[];
  /** Catalogs of the labels of own data; published sets bring theirs. */
  readonly catalog: readonly Reference[];
  /** Split whose FIT fold is read too. */
  readonly split: string | undefined;
}

/** Reads the named data. @throws {SluiceError} USAGE  none is named; those of reading, DATASET_INVALID */
export async function namedSources(
  history: History,
  { data, catalog, split }: NamedData,
): Promise<readonly FitSource[]> {
  const catalogs: Catalog[] = [];
  for (const named of catalog) catalogs.push((await catalogOf(history, named)).document);
  const sources: FitSource[] = [];
  for (const { kind: format, path: file } of data) {
    const plain = { mapped: false, delimiter: ",", language: "en", table: { mapping: { columns: {} } } };
    sources.push(importedSource(nameOf(format, sources), await readSource(file, format, plain), catalogs));
  }
  if (split !== undefined) sources.push(splitSource(history, split));
  if (sources.length > 0) return sources;
  throw new SluiceError("USAGE", "no labelled requests given, expected --data or --split", {
    hint: "Name data: --data jsonl:requests.jsonl --catalog catalog.yaml",
  });
}

/** The format, with a number where it was there before. */
function nameOf(format: string, sources: readonly FitSource[]): string {
  const before = sources.filter(({ card }) => card.name.replace(/-\d+$/, "") === format).length;
  return before === 0 ? format : `${format}-${before + 1}`;
}

/** Synsets of Open English WordNet, with their card; null without a file. @throws {SluiceError} those of reading */
export async function namedLexicon(file: string | undefined): Promise<OpenDataArguments["lexicon"]> {
  if (file === undefined) return null;
  const bytes = await readInput(file);
  const synsets = readSynsets({ file, bytes });
  const files = [{ file: basename(file), sha256: sha256Hex(bytes), licence: wordnetLicence }];
  return { synsets, card: { name: "wordnet", files, requests: 0, workflows: synsets.length } };
}
