import { basename } from "node:path";
import { linesOf } from "../../../datasets/read-lines.js";
import { sha256Hex } from "../../../src/digest/sha256.js";
import { SluiceError } from "../../../src/errors/error.js";
import { lemmasOf } from "../../../src/retrieval/words/lemmas.js";
import type { FitTask, OpenData } from "../../fit/verification/fit-task.js";
import type { CorpusKind, FitSynset, PairKind } from "../../fit/words/fit-data.js";
import { lemmaTexts } from "../../fit/words/lemma-texts.js";
import { NearTexts } from "../../fit/words/near-texts.js";
import { readInput } from "../../read-input.js";
import type { SourceCard } from "./fit-sources.js";

/** Open text: one paragraph or turn a line, also compressed by gzip. */
export interface TextArgument {
  readonly kind: CorpusKind;
  readonly path: string;
  readonly weight: number;
}

/** Two columns with a tab between them, also compressed by gzip. */
export interface PairsArgument {
  readonly kind: PairKind;
  readonly path: string;
}

export interface OpenDataArguments {
  readonly texts: readonly TextArgument[];
  readonly pairs: readonly PairsArgument[];
  /** Files of excluded texts, one per line; see `NearTexts`. */
  readonly without: readonly string[];
  /** Tab-separated list with columns `licence` and `sha256_of_gz`, which names the licences of the files. */
  readonly licences: string | undefined;
  readonly lexicon: { readonly synsets: readonly FitSynset[]; readonly card: SourceCard } | null;
}

/** Training data besides labelled requests, without excluded texts. */
export interface ReadOpenData {
  readonly open: OpenData;
  readonly cards: readonly SourceCard[];
  /** Files of excluded texts, with their number of lines. */
  readonly without: readonly { readonly file: string; readonly sha256: string; readonly texts: number }[];
  /** The task without requests and examples near an excluded text. */
  readonly cleaned: (task: FitTask) => FitTask;
}

/** How dictionaries mark an offensive sense: "(ethnic slur) ...", "offensive term for ...". */
const insult = /\bslur\)|\b(?:offensive|obscene|disparaging|derogatory)(?: and \w+)? (?:terms?|names?|words?)\b/i;

/** Words with such a sense in one of the definitions. */
function insultsOf(synsets: readonly FitSynset[], definitions: readonly ReadPairs[]): ReadonlySet<string> {
  const ofSynsets = synsets.filter(({ definition }) => insult.test(definition)).flatMap(({ lemmas }) => lemmas);
  const ofPairs = definitions.flatMap(({ rows }) => rows.filter(([, said]) => insult.test(said)).map(([word]) => word));
  return new Set([...ofSynsets, ...ofPairs].map((word) => word.toLowerCase()));
}

/** @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, SYNTAX_INVALID, DATASET_INVALID */
export async function readOpenData(given: OpenDataArguments): Promise<ReadOpenData> {
  const kept = await Promise.all(given.without.map(readFile));
  const near = new NearTexts(kept.flatMap(({ lines }) => lines.map(lemmasOf)));
  const isOpen = (text: string): boolean => !near.has(lemmasOf(text));
  const licences = await readLicences(given.licences);
  const cards: SourceCard[] = given.lexicon === null ? [] : [given.lexicon.card];
  const card = (name: string, { file, sha256 }: ReadFile, rows: number): void => {
    const files = [{ file, sha256, licence: licences.get(sha256) ?? null }];
    cards.push({ name, files, requests: rows, workflows: 0 });
  };
  const corpora: OpenData["corpora"][number][] = [];
  for (const { kind, path, weight } of given.texts) {
    const read = await readFile(path);
    const texts = lemmaTexts(read.lines, (lemmas) => !near.has(lemmas));
    corpora.push({ kind, weight, texts });
    card(`${kind}, weight ${weight}`, read, texts.starts.length - 1);
  }
  const files = await Promise.all(given.pairs.map(readPairs));
  const lexicon = given.lexicon?.synsets ?? [];
  const insults = insultsOf(
    lexicon,
    files.filter(({ kind }) => kind === "definition"),
  );
  const isKept = (kind: PairKind, [left, right]: PairRow): boolean => {
    if (kind === "intent") return isOpen(right);
    if (kind === "definition" && insult.test(right)) return false;
    if (kind === "synonym" && [left, right].some((word) => insults.has(word.toLowerCase()))) return false;
    return isOpen(left) && isOpen(right);
  };
  const pairs = files.map(({ kind, read, rows }) => {
    const own = rows.filter((row) => isKept(kind, row));
    card(`pairs, ${kind}`, read, own.length);
    return { kind, rows: own };
  });
  const synsets = lexicon
    .filter(({ definition }) => !insult.test(definition))
    .map((synset) => ({ ...synset, examples: synset.examples.filter(isOpen) }));
  return {
    open: { synsets, corpora, pairs },
    cards,
    without: kept.map(({ file, sha256, lines }) => ({ file, sha256, texts: lines.length })),
    cleaned: (task) => ({
      ...task,
      requests: task.requests.filter(({ text }) => isOpen(text)),
      workflows: task.workflows.map((workflow) => ({ ...workflow, examples: workflow.examples.filter(isOpen) })),
    }),
  };
}

interface ReadFile {
  /** Without its folders: the card must not depend on the data's location. */
  readonly file: string;
  readonly sha256: string;
  readonly lines: readonly string[];
}

type PairRow = readonly [string, string];

interface ReadPairs {
  readonly kind: PairKind;
  readonly read: ReadFile;
  readonly rows: readonly PairRow[];
}

async function readPairs({ kind, path }: PairsArgument): Promise<ReadPairs> {
  const read = await readFile(path);
  return { kind, read, rows: rowsOf(read) };
}

async function readFile(path: string): Promise<ReadFile> {
  const bytes = await readInput(path);
  return { file: basename(path), sha256: sha256Hex(bytes), lines: linesOf(bytes, path) };
}

function rowsOf({ file, lines }: ReadFile): readonly PairRow[] {
  return lines.map((line, index) => {
    const [left, right, ...more] = line.split("\t");
    if (left !== undefined && right !== undefined && more.length === 0) return [left, right] as const;
    throw new SluiceError("DATASET_INVALID", `${file}: line ${index + 1} does not have two tab-separated columns`, {
      hint: "Write one pair per line: LEFT, a tab, RIGHT.",
    });
  });
}

async function readLicences(path: string | undefined): Promise<ReadonlyMap<string, string>> {
  if (path === undefined) return new Map();
  const { file, lines } = await readFile(path);
  const [head = "", ...rows] = lines;
  const columns = head.split("\t");
  const [licence, digest] = [columns.indexOf("licence"), columns.indexOf("sha256_of_gz")];
  if (licence < 0 || digest < 0) {
    throw new SluiceError("DATASET_INVALID", `${file}: found the columns ${columns.join(", ")}`, {
      hint: "Give a tab-separated list with the columns licence and sha256_of_gz.",
    });
  }
  return new Map(
    rows.map((line) => {
      const cells = line.split("\t");
      return [cells[digest] ?? "", cells[licence] ?? ""];
    }),
  );
}
