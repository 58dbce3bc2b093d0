import { formatSeconds } from "../../../src/domain/number-text.js";
import { basename } from "node:path";
import { corpusKinds, pairKinds } from "../../../workbench/fit/words/fit-data.js";
import type { Catalog } from "../../../src/domain/catalog.js";
import { SluiceError } from "../../../src/errors/error.js";
import { defineCommand } from "../../command.js";
import { optional, preset, repeated, required, type ValuesOf } from "../../options.js";
import { count, id, path, reference, seed, type ValueKind } from "../../parsers.js";
import { readInput } from "../../../workbench/read-input.js";
import { catalogOf, withHistory } from "../../../workbench/records/with-history.js";
import { commandResult } from "../../result.js";
import { shortId } from "../../../workbench/records/short-id.js";
import type { Stage } from "../../../workbench/records/stage.js";
import type { FitSource } from "../../../workbench/learning/word-models/fit-sources.js";
import type { FittedWordModels } from "../../../workbench/learning/word-models/fit-word-models.js";
import type {
  OpenDataArguments,
  PairsArgument,
  TextArgument,
} from "../../../workbench/learning/word-models/open-data.js";
import { fields } from "../../table.js";
import { type DatasetFormat, datasetFormats, readSource } from "../../../workbench/data/read-source.js";

interface DataArgument {
  readonly format: DatasetFormat;
  readonly path: string;
}

/** `KIND:FILE`, with the kinds of open text and a weight after it. */
const openText: ValueKind<TextArgument> = {
  placeholder: "KIND:FILE[:WEIGHT]",
  parse: (raw, name) => {
    const [, word, file, weight = "1"] = /^([a-z]+):(.+?)(?::(\d+(?:\.\d+)?))?$/s.exec(raw) ?? [];
    const found = corpusKinds.find((known) => known === word);
    if (found !== undefined && file !== undefined && Number(weight) > 0) {
      return { kind: found, path: file, weight: Number(weight) };
    }
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected KIND:FILE or KIND:FILE:WEIGHT`, {
      hint: `Kinds: ${corpusKinds.join(", ")}. For example ${name} documents:handbook.txt.gz:0.3`,
    });
  },
};

/** `KIND:FILE`, with the kinds of texts that belong together. */
const textPairs: ValueKind<PairsArgument> = {
  placeholder: "KIND:FILE",
  parse: (raw, name) => {
    const [, word, file] = /^([a-z]+):(.+)$/s.exec(raw) ?? [];
    const found = pairKinds.find((known) => known === word);
    if (found !== undefined && file !== undefined) return { kind: found, path: file };
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected KIND:FILE`, {
      hint: `Kinds: ${pairKinds.join(", ")}. For example ${name} title:titles.tsv.gz`,
    });
  },
};

/** `FORMAT:PATH`, with the formats of `dataset import`. */
const data: ValueKind<DataArgument> = {
  placeholder: "FORMAT:PATH",
  parse: (raw, name) => {
    const [, word, file] = /^([a-z0-9]+):(.+)$/s.exec(raw) ?? [];
    const format = datasetFormats.find((known) => known === word);
    if (format !== undefined && file !== undefined) return { format, path: file };
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected FORMAT:PATH`, {
      hint: `Formats: ${datasetFormats.join(", ")}. For example ${name} jsonl:requests.jsonl`,
    });
  },
};

const options = {
  data: repeated(data, "labelled requests; rows of a published part other than train are left out"),
  catalog: repeated(reference, "catalog of the labels of own data; published sets bring theirs"),
  split: optional(id, "split in the history whose FIT fold is read too; its TUNE fold is measured"),
  lexicon: optional(path, "synsets of Open English WordNet, JSONL, also compressed by gzip"),
  "open-text": repeated(openText, "open text, a paragraph a line, gzip or not; kinds dialogue and documents"),
  pairs: repeated(textPairs, "texts that belong together, two columns; for kind intent the first names a group"),
  without: repeated(path, "texts, one a line, that nothing may be learned from, nor from texts one word away"),
  licences: optional(path, "tab-separated list with the columns licence and sha256_of_gz, for the card"),
  out: required(path, "folder for retriever/, verifier/ and the model card"),
  steps: preset(count, "1200", "steps of the contrastive fit; there are three fits"),
  seed: preset(seed, "1", "seed of every draw"),
} as const;

export const modelFit = defineCommand({
  name: ["model", "fit"],
  describe: "Learn word vectors and a verifier from labelled requests; goes on where an interrupted fit stood",
  positionals: {},
  options,
  examples: [
    ["sluice model fit --data jsonl:requests.jsonl --catalog catalog.yaml --out my-models", "own requests"],
    [
      "sluice model fit --split 3f9c01ab --lexicon synsets.jsonl.gz --open-text documents:handbook.txt.gz:0.3 --out my-models",
      "the FIT fold, WordNet and open text",
    ],
  ],
  run: (context, args) =>
    withHistory(context, "write", async (stage) => {
      const { fitWordModelsStage } = await import("../../../workbench/learning/word-models/fit-word-models.js");
      const { readOpenData } = await import("../../../workbench/learning/word-models/open-data.js");
      const sources = await sourcesOf(stage, args);
      if (sources.length === 0) {
        throw new SluiceError("USAGE", "no labelled requests were named, expected --data or --split", {
          hint: "Name data: --data jsonl:requests.jsonl --catalog catalog.yaml",
        });
      }
      const fitted = await fitWordModelsStage(stage, {
        sources,
        openData: await readOpenData({
          texts: args.openText,
          pairs: args.pairs,
          without: args.without,
          licences: args.licences,
          lexicon: await lexiconOf(args.lexicon),
        }),
        splitId: args.split,
        steps: args.steps,
        seed: args.seed,
        directory: args.out,
        note: context.note,
      });
      return commandResult({
        schema: "model-fit@1",
        result: {
          retriever: fitted.retriever,
          verifier: fitted.verifier,
          directory: args.out,
          card: fitted.card,
          milliseconds: fitted.milliseconds,
        },
        lines: fittedLines(fitted, args.out),
        next: [context.nextLine("eval", "run")],
      });
    }),
});

async function sourcesOf({ history }: Stage, args: ValuesOf<typeof options>): Promise<readonly FitSource[]> {
  const { importedSource, splitSource } = await import("../../../workbench/learning/word-models/fit-sources.js");
  const catalogs: Catalog[] = [];
  for (const named of args.catalog) catalogs.push((await catalogOf(history, named)).document);
  const sources: FitSource[] = [];
  for (const { format, path: file } of args.data) {
    const plain = { mapped: false, delimiter: ",", language: "en", table: { mapping: { columns: {} } } };
    sources.push(importedSource(nameOf(format, sources), await readSource(file, format, plain), catalogs));
  }
  return args.split === undefined ? sources : [...sources, splitSource(history, args.split)];
}

/** The format, with a number where it was there before. */
function nameOf(format: string, sources: readonly FitSource[]): string {
  const before = sources.filter(({ card }) => card.name.replace(/-\d+$/, "") === format).length;
  return before === 0 ? format : `${format}-${before + 1}`;
}

async function lexiconOf(file: string | undefined): Promise<OpenDataArguments["lexicon"]> {
  if (file === undefined) return null;
  const { readSynsets, wordnetLicence } = await import("../../../datasets/importers/open-english-wordnet.js");
  const { sha256Hex } = await import("../../../src/digest/sha256.js");
  const bytes = await readInput(file);
  const synsets = readSynsets({ file, bytes });
  const files = [{ file: basename(file), sha256: sha256Hex(bytes), licence: wordnetLicence }];
  return { synsets, card: { name: "wordnet", files, requests: 0, workflows: synsets.length } };
}

function fittedLines({ retriever, verifier, card, milliseconds }: FittedWordModels, directory: string) {
  return fields([
    ["retriever", `${shortId(retriever)}  vectors of ${card.words} words, loss ${card.loss}`],
    ["verifier", `${shortId(verifier)}  ${card.verifier.pairs} pairs, loss ${card.verifier.loss}`],
    ...card.held_out.folds.map(({ requests, recall_at_1, recall_at_5 }, fold): [string, string] => {
      return [`fold ${fold + 1}`, `recall at 1 ${recall_at_1}/${requests}, at 5 ${recall_at_5}/${requests}`];
    }),
    ["folder", directory],
    ["time", formatSeconds(milliseconds)],
  ]);
}
